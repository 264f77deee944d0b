declare const requests: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
export default requests;
