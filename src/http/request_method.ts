/** Whether a request only reads, as all that routes answer do. */
export function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}
