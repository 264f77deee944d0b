import { Html } from '@elysiajs/html';
import type { ServiceError } from '../common/errors.ts';
import { type FrameInput, layout } from './layout.tsx';

const TITLES: Readonly<Partial<Record<number, string>>> = {
  400: 'This URL is invalid',
  401: 'This page requires an API key',
  403: 'This API key is not active',
  404: 'Page not found',
  405: 'Method not allowed',
  414: 'This URL is too long',
  421: 'This host name is not served here',
  429: 'Too many requests',
};

/** An error outside the API, as a page. */
export function errorPage(
  { message }: ServiceError,
  status: number,
  requestId: string,
  input: FrameInput,
): string {
  const title = TITLES[status] ?? 'Something went wrong';
  return layout(
    { path: null, title: `${status} · meridian`, description: title },
    input,
    <main id="content" class="error-page">
      <p class="error-status">{String(status)}</p>
      <h1 safe>{title}</h1>
      <p class="lead" safe>
        {`${message}.`}
      </p>
      <p class="ways">
        <a class="button" href="/" target="_top">
          Go to the start page
        </a>
        <a href="/docs" target="_top">
          Docs
        </a>
      </p>
      <p class="status">
        Request id: <code safe>{requestId}</code>
      </p>
    </main>,
  );
}
