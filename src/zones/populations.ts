/** Population by canonical zone, largest first; uninhabited zones are not listed. */
export type Populations = ReadonlyMap<string, number>;

/** Decodes a pack: a line for each zone, `Asia/Shanghai⇥1005032120`, largest first. */
export function decodePopulations(pack: Uint8Array): Populations {
  const lines = new TextDecoder().decode(pack).trimEnd().split('\n');
  return new Map(
    lines.map(line => {
      const [name = '', population] = line.split('\t');
      return [name, Number(population)];
    }),
  );
}
