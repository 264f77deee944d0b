export { momentAt, TimePayload } from '../text/time_payload.ts';
