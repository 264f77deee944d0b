import { once } from '../../common/once.ts';
import type { Box } from './style.ts';

/** Drawings behind the time, in a box of 250 by 100, created for the first clock that shows them. */

/** Frost ferns that grow from the corners of a window. */
export const FERNS: Box = {
  drawing: 'ferns',
  paths: once(() => {
    const corner = [fern(8, 70), fern(34, 62), fern(60, 46), fern(83, 58)].join('');
    return [
      { d: corner },
      { d: corner, transform: 'translate(250 0) scale(-1 1)' },
      { d: corner, transform: 'translate(0 100) scale(1 -1)' },
      { d: corner, transform: 'translate(250 100) scale(-1 -1)' },
    ];
  }),
};

/** A frond from the upper left corner, at an angle below the horizontal. */
function fern(degrees: number, length: number): string {
  const along = (from: readonly [number, number], angle: number, distance: number) =>
    [from[0] + Math.cos(angle) * distance, from[1] + Math.sin(angle) * distance] as const;
  const angle = (degrees / 180) * Math.PI;
  let path = `M0 0L${rounded(along([0, 0], angle, length))}`;
  for (let at = 8; at < length; at += 6) {
    const node = along([0, 0], angle, at);
    const leaf = (length - at) * 0.28 + 2;
    for (const side of [-1, 1]) path += `M${rounded(node)}L${rounded(along(node, angle + side * 0.8, leaf))}`;
  }
  return path;
}

function rounded(point: readonly [number, number]): string {
  return point.map(part => Math.round(part)).join(' ');
}

/** A double frame with stepped corners, and rays at the sides. */
export const FRAME: Box = {
  drawing: 'frame',
  paths: once(() => {
    const rays = Array.from({ length: 7 }, (_, index) => {
      const radians = ((index - 3) / 3) * 0.62;
      return `M7 50L${rounded([7 + Math.cos(radians) * 26, 50 + Math.sin(radians) * 26])}`;
    }).join('');
    return [
      { d: 'M18 4H232V9H240V17H246V83H240V91H232V96H18V91H10V83H4V17H10V9H18z' },
      { d: 'M24 9H226V14H235V22H241V78H235V86H226V91H24V86H15V78H9V22H15V14H24z' },
      { d: rays },
      { d: rays, transform: 'translate(250 0) scale(-1 1)' },
    ];
  }),
};
