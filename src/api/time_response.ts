import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import {
  encode,
  type Json,
  type JsonElements,
  joinedSchema,
  joinObjects,
  jsonArray,
  withMembers,
} from '../common/json.ts';
import { ErrorBody, errorBody } from '../http/errors.ts';
import { type Details, targetDetails } from '../operations/details.ts';
import type { Target } from '../operations/target.ts';
import { momentAt, TimePayload, timePayloadJson, translatedPayloadJson } from '../text/time_payload.ts';
import type { Rendering } from './parameters/rendering.ts';
import type { FailedEntry as FailedTarget, Targets } from './parameters/targets.ts';
import type { HandlerContext } from './route.ts';

/** Replaces a failed element of a bulk response. */
export const FailedEntry = joinedSchema(
  [ErrorBody, Type.Object({ item: Type.String({ description: 'The entry as given.' }) })],
  { $id: 'FailedEntry', description: 'The error of a failed entry of a list, in its position.' },
);

/** A time payload, or for a list an array of them in the same order. */
export const BulkPayload = Type.Union([
  TimePayload,
  Type.Array(Type.Union([TimePayload, FailedEntry]), {
    description: 'For a list: one element per entry, in the same order.',
  }),
]);

/**
 * The time payload of an instant in a target, with the additional members of a route, and with `moreDetails` as additional
 * members of `details`.
 */
export function timeResponse<Members extends object>(
  epochMs: number,
  target: Target,
  { format, names }: Rendering,
  members: Json<Members> | null,
  { commonDetails }: Pick<HandlerContext, 'commonDetails'>,
  moreDetails: () => Details = noDetails,
): Json<TimePayload & Members> {
  let json =
    names === null ? timePayloadJson(epochMs, target) : translatedPayloadJson(epochMs, target, names);
  if (format !== null) json = withMembers(json, { formatted: format.format(momentAt(epochMs, target)) });
  const complete = (members === null ? json : joinObjects(json, members)) as Json<TimePayload & Members>;
  return commonDetails === null
    ? complete
    : addDetails(complete, { ...targetDetails(epochMs, target), ...moreDetails(), ...commonDetails() });
}

/** The same for one target or each target of a list. */
export function timesResponse(
  epochMs: number,
  targets: Targets,
  rendering: Rendering,
  context: HandlerContext,
): BulkJson<TimePayload> {
  if ('periodAt' in targets) return timeResponse<object>(epochMs, targets, rendering, null, context);
  return bulkOf(targets, context, timeWriter(epochMs, rendering, context));
}

/** Creates the closure outside {@link timesResponse}, so that single targets do not pay for its scope. */
function timeWriter(epochMs: number, rendering: Rendering, context: HandlerContext) {
  return (target: Target) => timeResponse(epochMs, target, rendering, null, context);
}

/** The payload of one target or of each in a list, at most `itemsPerSlice` of them before other requests get a turn. */
export function bulkOf<Payload extends object>(
  targets: Targets,
  context: Pick<HandlerContext, 'requestId'>,
  payloadOf: (target: Target) => Json<Payload>,
  itemsPerSlice = Number.POSITIVE_INFINITY,
): BulkJson<Payload> {
  if ('periodAt' in targets) return payloadOf(targets);
  const jsonOf = (entry: Target | FailedTarget) =>
    'error' in entry
      ? encode({ ...errorBody(entry.error, context.requestId), item: entry.item })
      : payloadOf(entry);
  return jsonArrayOf<Target | FailedTarget, Payload | FailedEntryBody>(targets, jsonOf, itemsPerSlice);
}

type FailedEntryBody = ErrorBody & { item: string };
type BulkJson<Payload> =
  | Json<Payload>
  | Json<(Payload | FailedEntryBody)[]>
  | Promise<Json<(Payload | FailedEntryBody)[]>>;

/** How much JSON is written before other requests get a turn: less than half a millisecond of work. */
const SLICE_CHARACTERS = 32_768;

/**
 * A JSON array of all items, each of which becomes one or more elements. Long arrays are written in slices, between which other
 * requests are served.
 */
export function jsonArrayOf<Item, Value>(
  items: readonly Item[],
  jsonOf: (item: Item) => Json<Value> | JsonElements<Value>,
  itemsPerSlice = Number.POSITIVE_INFINITY,
): Json<Value[]> | Promise<Json<Value[]>> {
  const written = textsOf(items, jsonOf, itemsPerSlice);
  return written instanceof Promise ? written.then(jsonArray) : jsonArray(written);
}

/** The text of each item, written in slices like those of {@link jsonArrayOf}. */
export function textsOf<Item, Text extends string>(
  items: readonly Item[],
  textOf: (item: Item) => Text,
  itemsPerSlice = Number.POSITIVE_INFINITY,
  written: Text[] = [],
): Text[] | Promise<Text[]> {
  let characters = 0;
  const sliceEnd = written.length + itemsPerSlice;
  while (written.length < items.length) {
    const text = textOf(items[written.length]!);
    written.push(text);
    characters += text.length;
    if (characters > SLICE_CHARACTERS || written.length === sliceEnd) {
      return yieldToRequests().then(() => textsOf(items, textOf, itemsPerSlice, written));
    }
  }
  return written;
}

/** Appends `details` to a payload that does not depend on a zone, if the request has `details=true`. */
export function withDetails<Payload extends object>(
  json: Json<Payload>,
  { commonDetails }: HandlerContext,
  detailsOf: () => Details = noDetails,
): Json<Payload> {
  return commonDetails === null ? json : addDetails(json, { ...detailsOf(), ...commonDetails() });
}

function noDetails(): Details {
  return {};
}

/** Every payload may have `details`, which the schemas of routes do not list. */
function addDetails<Payload extends object>(json: Json<Payload>, details: Details): Json<Payload> {
  return withMembers(json, { details }) as string as Json<Payload>;
}
