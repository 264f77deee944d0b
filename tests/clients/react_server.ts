import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { ReactPage, type ReactPageProps } from './react_page.ts';

/** The server-rendered page. */
export function renderedPage(props: ReactPageProps): string {
  return renderToString(createElement(ReactPage, props));
}
