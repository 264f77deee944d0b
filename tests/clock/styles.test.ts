import { expect, test } from 'bun:test';
import type { AnalogStyle, DigitalStyle, Style } from '../../src/clock/styles/style.ts';
import { STYLE_NAMES, STYLES, type StyleName } from '../../src/clock/styles/styles.ts';
import { bundled } from './faces_page.ts';

test('a style of the registry has a name of its family', () => {
  for (const name of STYLE_NAMES) expect(name).toStartWith(`${STYLES[name].definition.family}-`);
});

test('every digital style has rules in the stylesheet, and the stylesheet has none of other styles', async () => {
  const css = await bundled('src/clock/clock.css');
  const styled = new Set([...css.matchAll(/data-style="?([\w-]+)/g)].map(match => match[1]!));
  expect([...styled].filter(name => !(STYLE_NAMES as readonly string[]).includes(name))).toEqual([]);
  expect(STYLE_NAMES.filter(name => name.startsWith('digital-') && !styled.has(name))).toEqual([]);
});

test('a style that lacks a part does not compile', () => {
  const { definition, dial } = STYLES['analog-slate'] as AnalogStyle;
  const { boxes } = STYLES['digital-slate'] as DigitalStyle;
  // @ts-expect-error A style with hands needs a dial.
  const withoutDial: Style = { definition };
  // @ts-expect-error A style with figures needs a definition.
  const withoutDefinition: Style = { boxes };
  // @ts-expect-error Names of styles are those of the registry.
  const unknown: StyleName = 'analog-cuckoo';
  expect([withoutDial, withoutDefinition, unknown, dial]).toHaveLength(4);
});
