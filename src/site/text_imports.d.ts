/** Imported `with { type: 'text' }`. */
declare module '*.svg' {
  const text: string;
  export default text;
}
