/** A compiled artifact, imported `with { type: 'file' }`: its path, also within the executable. */
declare module '*.pack' {
  const path: string;
  export default path;
}

declare module '*.svg' {
  const path: string;
  export default path;
}

declare module '*.mmdb' {
  const path: string;
  export default path;
}

declare module '*.txt' {
  const path: string;
  export default path;
}
