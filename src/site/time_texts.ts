/** Minutes after midnight as `HH:MM`. */
export function clockText(minutes: number): string {
  return [minutes / 60, minutes % 60].map(part => String(Math.floor(part)).padStart(2, '0')).join(':');
}

/** An offset in minutes as `+05:30` or, with the typographic minus sign, `−03:30`. */
export function offsetText(minutes: number): string {
  return (minutes < 0 ? '−' : '+') + clockText(Math.abs(minutes));
}
