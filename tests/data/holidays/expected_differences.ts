/**
 * Where our public holidays of 2024–2027 are not those of vacanza/holidays 0.102, and why. `ours` are dates that only
 * we have, `theirs` those that only vacanza has; `*-04-01` is April 1 of each year.
 */
export interface ExpectedDifference {
  readonly calendars: readonly string[];
  readonly ours?: readonly string[];
  readonly theirs?: readonly string[];
  readonly reason: string;
}

export const EXPECTED_DIFFERENCES: readonly ExpectedDifference[] = [
  {
    calendars: ['GB'],
    ours: ['2024-04-01', '2025-04-21', '2026-04-06', '2027-03-29'],
    reason:
      'Easter Monday is a bank holiday in England, Wales and Northern Ireland: date-holidays counts it for the whole and drops it for Scotland',
  },
  {
    calendars: ['BR', 'BR-SP'],
    ours: ['2024-10-06', '2024-10-27', '2026-10-04', '2026-10-25'],
    reason: 'Election days are holidays by Lei 4.737/1965 art. 380; they are Sundays and change no count',
  },
  {
    calendars: ['AU'],
    ours: [
      ...['2024-03-30', '2024-03-31', '2025-04-19', '2025-04-20'],
      ...['2026-04-04', '2026-04-05', '2027-03-27', '2027-03-28'],
    ],
    reason: 'Easter Saturday and Sunday are holidays in nearly all states; weekends, they change no count',
  },
  {
    calendars: ['AU'],
    ours: ['2025-01-27', '2026-12-28', '2027-12-27', '2027-12-28'],
    theirs: ['2025-01-26'],
    reason:
      'States and territories give the next Monday or Tuesday for a holiday on a weekend; vacanza has that in the states alone',
  },
  {
    calendars: ['AU-ACT'],
    ours: ['2027-04-25'],
    reason: 'Anzac Day itself, a Sunday, beside its Monday',
  },
  {
    calendars: ['AU-NT', 'AU-SA'],
    theirs: ['2027-12-25'],
    reason: 'date-holidays puts the Monday in the place of the Saturday, a weekend all the same',
  },
  {
    calendars: ['AU-QLD'],
    theirs: ['2024-08-14', '2025-08-13', '2026-08-12', '2027-08-11'],
    reason: 'The Royal Queensland Show is a holiday in Brisbane alone',
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
    calendars: ['US-TX'],
    ours: ['2024-10-14', '2025-10-13', '2026-10-12', '2027-10-11'],
    reason: 'Columbus Day is a federal holiday, and state calendars here hold the federal ones',
  },
  {
    calendars: ['US-TX'],
    theirs: [
      ...['2024-01-19', '2025-01-19', '2027-01-19', '*-03-02', '*-04-21', '*-08-27'],
      ...['2024-03-29', '2025-04-18', '2026-04-03', '2027-03-26', '*-03-31', '2027-12-23'],
    ],
    reason: 'Partial staffing and optional holidays of Texas Government Code § 662.003: offices are open',
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
];
