/** Zones whose clocks change in 2026, at midnight and by half an hour too. */
export const CHANGING: readonly string[] = [
  'Europe/Berlin', 'Europe/London', 'Europe/Lisbon', 'Europe/Athens', 'Europe/Chisinau', 'Europe/Dublin',
  'Atlantic/Azores', 'America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles',
  'America/Anchorage', 'America/Halifax', 'America/St_Johns', 'America/Havana', 'America/Santiago',
  'America/Asuncion', 'America/Nuuk', 'America/Miquelon', 'Asia/Beirut', 'Asia/Jerusalem', 'Africa/Cairo',
  'Africa/Casablanca', 'Australia/Sydney', 'Australia/Adelaide', 'Australia/Lord_Howe', 'Pacific/Auckland',
  'Pacific/Chatham', 'Pacific/Norfolk', 'Pacific/Easter', 'Antarctica/Troll', 'Europe/Paris', 'Europe/Rome',
  'Europe/Madrid', 'Europe/Warsaw', 'Europe/Vienna', 'Europe/Zurich', 'Europe/Stockholm', 'Europe/Oslo',
  'Europe/Helsinki', 'Europe/Kyiv', 'Europe/Bucharest', 'Europe/Sofia', 'Europe/Prague', 'Europe/Budapest',
  'America/Toronto', 'America/Winnipeg', 'America/Phoenix', 'America/Boise', 'America/Detroit',
]; // biome-ignore format: a list
