/** Durations as numbers and in words. */
const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

export function span(fromMs, toMs) {
  const seconds = Math.floor(Math.abs(toMs - fromMs) / 1000);
  return {
    seconds,
    minutes: Math.floor(seconds / 60),
    hours: Math.floor(seconds / 3600),
    days: Math.floor(seconds / 86_400),
  };
}

export function humanDuration(seconds) {
  let rest = seconds;
  const parts = [];
  for (const [name, length] of UNITS) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? '' : 's'}`);
  }
  return parts.join(', ') || '0 seconds';
}

export function formatDuration(seconds, template) {
  let rest = seconds;
  let text = template;
  for (const [name, length] of UNITS) {
    const token = `%${name}s`;
    if (!text.includes(token)) continue;
    text = text.replaceAll(token, String(Math.floor(rest / length)));
    rest %= length;
  }
  return text;
}
