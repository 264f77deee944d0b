import { type ObjectOptions, type TComposite, type TObject, Type } from '@sinclair/typebox';

/**
 * The schema of objects with the properties of several schemas, which have none in common. `Type.Composite` also intersects
 * the types of properties of the same name, which took 3 ms of every start.
 */
export function joinedSchema<Parts extends TObject[]>(
  parts: [...Parts],
  options: ObjectOptions,
): TComposite<Parts> {
  const properties = Object.assign({}, ...parts.map(part => part.properties));
  return Type.Object(properties, options) as TComposite<Parts>;
}
