// Files imported `with { type: 'text' }`, here and in src/cli.

declare module '*.svg' {
  const text: string;
  export default text;
}

declare module '*.yml' {
  const text: string;
  export default text;
}

declare module '*.md' {
  const text: string;
  export default text;
}

declare module '*.service' {
  const text: string;
  export default text;
}
