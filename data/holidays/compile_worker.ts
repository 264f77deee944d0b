/** Compiles the calendars that it is sent; see `compile.ts`. */
import {
  LIBRARY_SOURCE,
  readCorrections,
  TABLE_YEARS,
  type WorkerAnswer,
  type WorkerMessage,
} from './compile.ts';
import { compileCalendar } from './compile_calendar.ts';
import { extendCalendars } from './extend_calendars.ts';
import { parseCorrections } from './parse_corrections.ts';

declare const self: Worker;

extendCalendars();
const corrected = parseCorrections(readCorrections());

self.onmessage = ({ data: calendars }: MessageEvent<WorkerMessage>) => {
  const answer: WorkerAnswer = calendars.map(calendar =>
    compileCalendar(calendar, corrected, LIBRARY_SOURCE, TABLE_YEARS),
  );
  self.postMessage(answer);
};
