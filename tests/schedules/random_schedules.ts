/** Random schedules that cover the whole grammar. */

/** Numbers in [0, 1). */
export type Random = () => number;

const WEEKDAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)]!;
}

/** A schedule of one to four rules, with dates near one of `epochMs`. */
export function randomSchedule(random: Random, epochMs: readonly number[]): string {
  let text = '';
  let canAdd = false;
  const rules = 1 + Math.floor(random() * 4);
  for (let index = 0; index < rules; index++) {
    const isAdditional = canAdd && random() < 0.3;
    const { rule, endsDays } = randomRule(random, epochMs, isAdditional);
    text += index === 0 ? rule : `${isAdditional ? ', ' : '; '}${rule}`;
    canAdd = !endsDays && rule !== '24/7';
  }
  return text;
}

function randomRule(random: Random, epochMs: readonly number[], needsDays: boolean) {
  if (!needsDays && random() < 0.05) return { rule: '24/7', endsDays: false };
  const days = needsDays || random() < 0.8 ? randomDays(random, epochMs) : '';
  const times = random() < (days === '' ? 0.95 : 0.8) ? randomTimes(random) : '';
  const isOff = times === '' && days === '' ? true : random() < 0.2;
  const rule = [days, times, isOff ? 'off' : ''].filter(part => part !== '').join(' ');
  return { rule, endsDays: times === '' && !isOff };
}

function randomDays(random: Random, epochMs: readonly number[]): string {
  if (random() < 0.25) {
    return Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
      const date = new Date(pick(random, epochMs) + Math.floor(random() * 8 - 4) * 86_400_000);
      return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}`;
    }).join(',');
  }
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    if (random() < 0.25) return 'PH';
    return random() < 0.5 ? pick(random, WEEKDAYS) : `${pick(random, WEEKDAYS)}-${pick(random, WEEKDAYS)}`;
  }).join(',');
}

function randomTimes(random: Random): string {
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const from = randomMinute(random, 1439);
    return `${timeText(from)}-${timeText(randomMinute(random, 1440))}`;
  }).join(',');
}

/** Often a full hour around midnight or a clock change. */
function randomMinute(random: Random, most: number): number {
  if (random() < 0.4) return Math.min(most, pick(random, [0, 1, 2, 3, 4, 22, 23, 24]) * 60);
  return Math.floor(random() * (most + 1));
}

function timeText(minute: number): string {
  return `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`;
}

function pad(number: number): string {
  return `${number}`.padStart(2, '0');
}
