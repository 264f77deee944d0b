import { expect, test } from 'bun:test';
import type { AnalogStyle, DigitalStyle, Style } from '../../src/clock/styles/style.ts';
import { STYLE_NAMES, STYLES, type StyleName } from '../../src/clock/styles/styles.ts';
import { bundled } from './faces_page.ts';

test("every registered style has its family's name", () => {
  for (const name of STYLE_NAMES) expect(name).toStartWith(`${STYLES[name].definition.family}-`);
});

test('the stylesheet has rules for exactly the digital styles', async () => {
  const css = await bundled('src/clock/clock.css');
  const styled = new Set([...css.matchAll(/data-style="?([\w-]+)/g)].map(match => match[1]!));
  expect([...styled].filter(name => !(STYLE_NAMES as readonly string[]).includes(name))).toEqual([]);
  expect(STYLE_NAMES.filter(name => name.startsWith('digital-') && !styled.has(name))).toEqual([]);
});

test('a style with a missing part does not compile', () => {
  const { definition, dial } = STYLES['analog-slate'] as AnalogStyle;
  const { boxes } = STYLES['digital-slate'] as DigitalStyle;
  // @ts-expect-error A style with hands needs a dial.
  const withoutDial: Style = { definition };
  // @ts-expect-error A style with digits needs a definition.
  const withoutDefinition: Style = { boxes };
  // @ts-expect-error Style names are those in the registry.
  const unknown: StyleName = 'analog-cuckoo';
  expect([withoutDial, withoutDefinition, unknown, dial]).toHaveLength(4);
});
