/** A picture, imported `with { type: 'text' }`. */
declare module '*.svg' {
  const text: string;
  export default text;
}
