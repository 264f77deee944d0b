import type { Moment } from '../common/moment.ts';
import type { AnalogDefinition, HandManner, Spot } from './styles/style.ts';

/**
 * The second hand of a railway station clock completes its round in 58.5 seconds and waits at the top for the minute
 * signal (H. Hilfiker's clock of the Swiss Federal Railways, 1955).
 */
export const STATION_ROUND_MS = 58_500;

/** The hands at a moment, in degrees clockwise from twelve o'clock, below 360. */
export function handAnglesAt(moment: Moment, manner: HandManner) {
  const { hour, minute, second } = moment;
  if (manner === 'station') {
    const intoMinuteMs = second * 1000 + moment.millisecond;
    return {
      hour: (hour % 12) * 30 + minute / 2,
      minute: minute * 6,
      second: (Math.min(intoMinuteMs / STATION_ROUND_MS, 1) * 360) % 360,
    };
  }
  return {
    hour: (hour % 12) * 30 + minute / 2 + second / 120,
    minute: minute * 6 + second / 10,
    second: second * 6 + (manner === 'sweep' ? moment.millisecond * 0.006 : 0),
  };
}

type LabelSpots = Pick<AnalogDefinition, 'spots' | 'tail'>;

/** Half the size of a label with a name in one or several rows, and its required clearance, in units of the dial. */
const LABEL_RIGHT = 24;
const ROW = { down: 9, clearance: 5 };
const ROWS = { down: 14, clearance: 3 };
/** How much lower a label in rows begins, so that its middle is at its spot. */
const ROWS_SHIFT = 4;
/** The distance at which hands are past every label. */
const HAND_END = 66;

/** The first spot for the label that is clear of hands in this minute, or else the one farthest from them. */
export function labelSpotAt({ hour, minute }: Moment, { spots, tail }: LabelSpots, isInRows = false): Spot {
  const label = isInRows ? ROWS : ROW;
  // The minute hand moves during the minute.
  const angles = [(hour % 12) * 30 + minute / 2, minute * 6, minute * 6 + 6];
  const clearances = spots.map(spot =>
    Math.min(...angles.map(angle => clearanceOf(spot, angle, tail, label.down))),
  );
  const clear = clearances.findIndex(clearance => clearance >= label.clearance);
  const [right, down] = spots[clear === -1 ? clearances.indexOf(Math.max(...clearances)) : clear]!;
  return [right, isInRows ? down + ROWS_SHIFT : down];
}

/** The distance of a hand from the box of a label, negative if it covers part of it. */
function clearanceOf([x, y]: Spot, degrees: number, tail: number, labelDown: number): number {
  const radians = (degrees / 180) * Math.PI;
  let clearance = Number.POSITIVE_INFINITY;
  for (let at = -tail; at <= HAND_END; at += 4) {
    const beside = Math.abs(Math.sin(radians) * at - x) - LABEL_RIGHT;
    const above = Math.abs(Math.cos(radians) * at + y) - labelDown;
    clearance = Math.min(clearance, Math.max(beside, above));
  }
  return clearance;
}

/** The ground of a label on the dial `grid`, from the offset to the top of the name. */
export function patchOf(isInRows: boolean): string {
  return isInRows ? 'M-24 -19H24V11H-24z' : 'M-24 -12H24V12H-24z';
}

const SECTOR_RADIUS = 57;

/** The elapsed part of the current quarter hour, as a sector of the dial that ends at the minute hand. */
export function sectorAt(minuteDegrees: number): string {
  const point = (degrees: number) => {
    const radians = (degrees / 180) * Math.PI;
    return [Math.sin(radians), -Math.cos(radians)]
      .map(part => Math.round(part * SECTOR_RADIUS * 10) / 10)
      .join(' ');
  };
  const from = minuteDegrees - (minuteDegrees % 90);
  return `M0 0L${point(from)}A${SECTOR_RADIUS} ${SECTOR_RADIUS} 0 0 1 ${point(minuteDegrees)}z`;
}
