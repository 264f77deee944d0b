import { cut, type ServiceError, unreadable } from '../../common/errors.ts';
import { publishSchema } from '../description/build_document.ts';
import type { JsonSchema } from '../description/document.ts';
import { MAX_CALENDARS } from '../parameters/calendars.ts';
import { TEXT_SELECTORS } from '../parameters/selectors.ts';
import type { Route } from '../route.ts';
import { addRoute } from '../routes/add.ts';
import { holidaysRoute } from '../routes/holidays.ts';
import { recurrenceRoute } from '../routes/recurrence.ts';
import { diffRoute } from '../routes/spans.ts';
import { calendarRoute, convertRoute, currentRoute, transitionsRoute } from '../routes/times.ts';
import { timezoneRoute } from '../routes/timezones.ts';
import { workAddRoute, workDiffRoute, workStatusRoute } from '../routes/work.ts';

/** A route offered as an MCP tool, with the exposed parameters; each takes up context in every conversation. */
export interface Tool {
  readonly name: string;
  readonly route: Route;
  readonly parameters: readonly string[];
}

const LOCAL_TIME = ['iso', 'source_tz'];
const ENDS = ['from', 'to', 'from_tz', 'to_tz'];

/** The tools, at most twelve. */
export const TOOLS: readonly Tool[] = [
  tool('current_time', currentRoute, ['tz', 'place', 'lat', 'lon', 'format']),
  tool('convert_time', convertRoute, [...LOCAL_TIME, 'unix', 'tz', 'place']),
  tool('add_time', addRoute, [...LOCAL_TIME, 'duration', 'business_days', 'holiday_country', 'tz']),
  tool('time_between', diffRoute, [...ENDS, 'business_days', 'holiday_country', 'largest_unit']),
  tool('calendar_date', calendarRoute, [...LOCAL_TIME, 'tz', 'week']),
  tool('clock_changes', transitionsRoute, ['tz', 'from', 'to']),
  tool('timezone', timezoneRoute, ['tz', 'place', 'lat', 'lon', 'ip']),
  tool('holidays', holidaysRoute, ['country', 'year', 'from', 'to']),
  tool('work_status', workStatusRoute, ['schedule', 'holiday_country', ...LOCAL_TIME, 'tz']),
  tool('add_work_time', workAddRoute, ['schedule', 'duration', 'holiday_country', ...LOCAL_TIME, 'tz']),
  tool('work_time_between', workDiffRoute, ['schedule', ...ENDS, 'holiday_country', 'tz']),
  tool('occurrences', recurrenceRoute, [
    'cron',
    'rrule',
    'tz',
    'from',
    'to',
    'count',
    'holiday_country',
    'exclude_holidays',
  ]),
];

function tool(name: string, route: Route, parameters: readonly string[]): Tool {
  const unknown = parameters.find(parameter => !(parameter in route.inputs.parameters));
  if (unknown !== undefined) throw new Error(`${route.path} has no parameter '${unknown}'`);
  return { name, route, parameters };
}

/** Shorter than those of the routes, which would be repeated in the agent's context for every tool with the parameter. */
const BRIEF_DESCRIPTIONS: Readonly<Record<string, string>> = {
  tz: 'Zone of the result, as an IANA or Windows name',
  source_tz: 'Zone of an `iso` without an offset',
  from_tz: 'Zone of a `from=iso=…` without an offset',
  to_tz: 'Zone of a `to=iso=…` without an offset',
  place: 'City or town, with country or area if ambiguous: `Perth, GB`, `Portland, US-ME`',
  holiday_country: `Country whose holidays and weekend apply, or a subdivision (\`DE-BY\`), or a list of up to ${MAX_CALENDARS}`,
};

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: Readonly<Record<string, boolean>>;
}

/** Tools change nothing and use only this server's data. */
const ANNOTATIONS = { readOnlyHint: true, openWorldHint: false };

/** Describes a tool: its route in one line with an example, and each parameter in a clause. */
export function describeTool({ name, route, parameters }: Tool): ToolDefinition {
  const properties = parameters.map(parameter => {
    const { description, ...schema } = publishSchema(route.inputs.parameters[parameter]!, new Map());
    const brief = BRIEF_DESCRIPTIONS[parameter] ?? firstClause(String(description));
    return [parameter, { ...schema, description: brief }];
  });
  return {
    name,
    description: `${route.summary}. Example: ${JSON.stringify(exampleOf(route, parameters))}`,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: route.inputs.required.filter(parameter => parameters.includes(parameter)),
    },
    annotations: ANNOTATIONS,
  };
}

/** The part of a text before its first full stop or semicolon outside code. */
function firstClause(text: string): string {
  return /^(?:`[^`]*`|[^`.;]|[.;](?=\S))*/.exec(text)![0]; // matches any text
}

/** The arguments of the route's example that uses the most of the given parameters. */
function exampleOf(route: Route, parameters: readonly string[]): Record<string, unknown> {
  const shown = route.examples.map(({ query }) =>
    [...new URLSearchParams(query)].filter(([name]) => parameters.includes(name)),
  );
  const most = shown.reduce((best, other) => (other.length > best.length ? other : best));
  return Object.fromEntries(
    most.map(([name, text]) => [
      name,
      route.inputs.parameters[name]!['type'] === 'string' ? text : JSON.parse(text),
    ]),
  );
}

/** Tool results have no headers, and thus no signatures. */
const UNSUPPORTED: ReadonlySet<string> = new Set(['sign', 'signature']);

/** The error for the first argument that no tool accepts; null if there is none. */
export function argumentError(given: Readonly<Record<string, unknown>>): ServiceError | null {
  for (const [name, value] of Object.entries(given)) {
    if (UNSUPPORTED.has(name)) return unreadable(name, 'tool results are not signed');
    if (value !== null && [value].flat().some(item => typeof item === 'object')) {
      const reason =
        'it is or contains an object; expected a string, a number, a boolean or an array of these';
      return unreadable(cut(name, 80), reason);
    }
  }
  return null;
}

/** The path and query of a tool call. Unknown arguments are rejected: an agent would assume that they took effect. */
export function requestOf({ route }: Tool, given: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    const separator = TEXT_SELECTORS.get(name)?.text.separator ?? ','; // between the elements of an array
    if (value !== null) query.set(name, [value].flat().join(separator));
  }
  query.set('strict', 'true');
  return `${route.path}?${query}`;
}
