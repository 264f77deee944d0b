import { type ObjectOptions, type TComposite, type TObject, Type } from '@sinclair/typebox';

/**
 * The schema of objects with the properties of several schemas, whose names must be distinct. `Type.Composite` also intersects
 * the types of properties with the same name, which added 3 ms to every startup.
 */
export function joinedSchema<Parts extends TObject[]>(
  parts: [...Parts],
  options: ObjectOptions,
): TComposite<Parts> {
  const properties = Object.assign({}, ...parts.map(part => part.properties));
  return Type.Object(properties, options) as TComposite<Parts>;
}
