import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import type { ApiDocument, ApiResponse, Reference } from '../../src/api/description/document.ts';

/** How a response violates the description, or null. */
export type Check = (path: string, status: number, headers: Headers, body: unknown) => string | null;

/** A check against an OpenAPI document, by a JSON Schema validator independent of TypeBox. */
export function checkBy(document: ApiDocument): Check {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: 'api', ...closed(document) });
  const validators = new Map<string, ValidateFunction>();
  const validatorAt = (pointer: string): ValidateFunction => {
    const validator = validators.get(pointer) ?? ajv.compile({ $ref: `api#${pointer}` });
    validators.set(pointer, validator);
    return validator;
  };

  return (path, status, headers, body) => {
    const { get, post } = document.paths[path] ?? {};
    const operation = get ?? post;
    if (operation === undefined) return null;
    const described = operation.responses[status];
    if (described === undefined) return `status ${status} is not described`;
    const pointer = isReference(described)
      ? described.$ref.slice(1)
      : `/paths/${escaped(path)}/${get === undefined ? 'post' : 'get'}/responses/${status}`;
    const expected = isReference(described) ? (lookUp(document, pointer) as ApiResponse) : described;
    const contentType = (headers.get('Content-Type') ?? '').replace('; charset=utf-8', '');
    const { content } = expected;
    const isDescribed = content === undefined ? contentType === '' && body === '' : contentType in content;
    if (!isDescribed) return `content type ${contentType} is not described`;
    const wrongHeaders = headerFaults(document, expected, headers);
    if (wrongHeaders !== null) return wrongHeaders;
    if (body === '') return null; // HEAD
    const validate = validatorAt(`${pointer}/content/${escaped(contentType)}/schema`);
    return validate(body) ? null : ajv.errorsText(validate.errors);
  };
}

/** Headers of every response, which no description lists. */
const COMMON: ReadonlySet<string> = new Set(['content-type', 'date']);

function headerFaults(document: ApiDocument, response: ApiResponse, headers: Headers): string | null {
  const described = new Map(
    Object.entries(response.headers).map(([name, { $ref }]) => [name.toLowerCase(), $ref]),
  );
  for (const name of headers.keys()) {
    if (!COMMON.has(name) && !described.has(name)) return `header ${name} is not described`;
  }
  for (const [name, $ref] of described) {
    const { required } = lookUp(document, $ref.slice(1)) as { required: boolean };
    if (required && !headers.has(name)) return `header ${name} is missing`;
  }
  return null;
}

/** A copy whose schemas allow no undescribed members. */
function closed<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(closed) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, closed(item)]));
  if (copy['type'] === 'object' && copy['properties'] !== undefined) {
    copy['additionalProperties'] ??= false;
  }
  return copy as Value;
}

function isReference(value: ApiResponse | Reference): value is Reference {
  return '$ref' in value;
}

function lookUp(document: unknown, pointer: string): unknown {
  let value = document;
  for (const key of pointer.slice(1).split('/')) {
    value = (value as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return value;
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
