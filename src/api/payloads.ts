import { type TSchema, Type } from '@sinclair/typebox';
import {
  encode,
  type Json,
  type JsonElements,
  joinObjects,
  jsonArray,
  objectSchema,
  withMembers,
} from '../common/json.ts';
import { whenReady } from '../common/promises.ts';
import { ErrorBody, errorBody } from '../http/errors.ts';
import { type Details, targetDetails } from '../operations/details.ts';
import type { Target } from '../operations/target.ts';
import { momentAt, type TimePayload, timePayloadJson, translatedPayloadJson } from '../text/time_payload.ts';
import type { Rendering } from './parameters/rendering.ts';
import { type FailedTarget, isFailed, isList, type Targets } from './parameters/targets.ts';
import type { HandlerContext } from './route.ts';
import { textsOf } from './slices.ts';

/** Replaces a failed element of a bulk response. */
const FailedEntry = objectSchema('FailedEntry', 'The error of a failed entry of a list, in its position.', {
  ...ErrorBody.properties,
  item: Type.String({ description: 'The entry as given.' }),
});

/** The schema of a payload or, for a list, of an array of payloads and errors of failed entries. */
export function bulkPayload<Payload extends TSchema>(
  payload: Payload,
  description = 'For a list: one element per entry, in the same order.',
) {
  return Type.Union([payload, Type.Array(Type.Union([payload, FailedEntry]), { description })]);
}

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

/** The time payload of an instant in one target, or in each target of a list. */
export function timesResponse(
  epochMs: number,
  targets: Targets,
  rendering: Rendering,
  context: HandlerContext,
): BulkJson<TimePayload> {
  return bulkOf(targets, context, target => timeResponse<object>(epochMs, target, rendering, null, context));
}

/** The payload of one target or of each in a list, at most `itemsPerSlice` of them before other requests get a turn. */
export function bulkOf<Payload extends object>(
  targets: Targets,
  context: Pick<HandlerContext, 'requestId'>,
  payloadOf: (target: Target) => Json<Payload>,
  itemsPerSlice = Number.POSITIVE_INFINITY,
): BulkJson<Payload> {
  if (!isList(targets)) return payloadOf(targets);
  const jsonOf = (entry: Target | FailedTarget) =>
    isFailed(entry)
      ? encode({ ...errorBody(entry.error, context.requestId), item: entry.item })
      : payloadOf(entry);
  return jsonArrayOf<Target | FailedTarget, Payload | FailedEntryBody>(targets, jsonOf, itemsPerSlice);
}

type FailedEntryBody = ErrorBody & { item: string };

type BulkJson<Payload> =
  | Json<Payload>
  | Json<(Payload | FailedEntryBody)[]>
  | Promise<Json<(Payload | FailedEntryBody)[]>>;

/**
 * A JSON array of all items, each of which becomes one or more elements. Long arrays are written in slices, between which other
 * requests are served.
 */
export function jsonArrayOf<Item, Value>(
  items: readonly Item[],
  jsonOf: (item: Item) => Json<Value> | JsonElements<Value>,
  itemsPerSlice = Number.POSITIVE_INFINITY,
): Json<Value[]> | Promise<Json<Value[]>> {
  return whenReady(textsOf(items, jsonOf, itemsPerSlice), jsonArray<Value>);
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
