/**
 * How our public holidays in 2024–2027 differ from vacanza/holidays 0.102, and why. `ours` are dates that only we have,
 * `theirs` dates that only vacanza has; `*-04-01` is April 1 of each year.
 */
export interface ExpectedDifference {
  readonly calendars: readonly string[];
  readonly ours?: readonly string[];
  readonly theirs?: readonly string[];
  readonly reason: string;
}

export const EXPECTED_DIFFERENCES: readonly ExpectedDifference[] = [
  {
    calendars: ['AU'],
    ours: ['2025-01-27', '2026-12-28', '2027-12-27', '2027-12-28'],
    theirs: ['2025-01-26', '2026-12-26', '2027-04-25', '2027-12-26'],
    reason:
      'Ours are the days off in all states and territories: they give Mondays and Tuesdays for holidays on a weekend',
  },
  {
    calendars: ['AU-QLD'],
    theirs: ['2024-08-14', '2025-08-13', '2026-08-12', '2027-08-11'],
    reason: 'The Royal Queensland Show is a holiday in Brisbane alone',
  },
  {
    calendars: ['FR-971', 'FR-972', 'FR-MF'],
    theirs: ['*-07-21'],
    reason:
      'The Fête de Victor Schoelcher is a custom; the Code du travail has the abolition of slavery alone',
  },
  {
    calendars: ['FR-971'],
    theirs: ['2024-03-07', '2025-03-27', '2026-03-12', '2027-03-04'],
    reason: 'Mi-Carême is a custom; the Code du travail does not have it',
  },
  {
    calendars: ['FR-971', 'FR-972'],
    theirs: ['2024-03-29', '2025-04-18', '2026-04-03', '2027-03-26'],
    reason: 'Good Friday is a custom there; the Code du travail has it in Alsace and Moselle alone',
  },
  {
    calendars: ['IN-MH'],
    ours: ['2026-02-15', '2026-05-28', '2026-09-14', '2026-11-10', '2026-11-11'],
    theirs: ['2026-03-04', '2026-05-27', '2026-09-04'],
    reason: 'Ours are the holidays that Maharashtra has notified for 2026; vacanza has those of the Union',
  },
  {
    calendars: ['US-CA'],
    theirs: ['2024-02-15', '2025-02-15', '2026-02-15'],
    reason:
      'Susan B. Anthony Day is one of the days of special significance of the Government Code, on which everyone works',
  },
  {
    calendars: ['US-CA'],
    theirs: ['2026-11-08', '2027-10-29'],
    reason: 'AB 268 of 2025 lets state employees choose Diwali instead of another day; offices are open',
  },
  {
    calendars: ['US-CA'],
    theirs: ['2026-07-03', '2027-06-18', '2027-12-24', '2027-12-31'],
    reason: 'California Government Code § 6701: a holiday on a Saturday gives a day off on November 11 alone',
  },
  {
    calendars: ['US-TX'],
    theirs: [
      ...['2024-01-19', '2025-01-19', '2027-01-19', '*-03-02', '*-04-21', '*-08-27'],
      ...['2024-03-29', '2025-04-18', '2026-04-03', '2027-03-26', '*-03-31'],
    ],
    reason: 'Partial staffing and optional holidays of Texas Government Code § 662.003: offices are open',
  },
  {
    calendars: ['US-TX'],
    theirs: ['2026-07-03', '2027-06-18', '2027-07-05', '2027-12-23', '2027-12-31'],
    reason: 'Texas Government Code § 662.005: a holiday on a weekend gives no other day off',
  },
];
