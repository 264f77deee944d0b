import { once } from '../common/caching.ts';

/** The languages (BCP 47) of local holiday names in the table, by country; the default is English. */
const LANGUAGES: Readonly<Record<string, string>> = {
  am: 'ET',
  ar: 'AE BH DZ EG EH IQ JO KW LB LY MA OM PS QA SA SD SY TN YE',
  az: 'AZ',
  be: 'BY',
  bg: 'BG',
  bn: 'BD',
  bs: 'BA',
  ca: 'AD',
  cnr: 'ME',
  cs: 'CZ',
  da: 'DK',
  de: 'AT CH DE LI',
  dv: 'MV',
  dz: 'BT',
  el: 'CY GR',
  es: 'AR BO CL CO CR CU DO EC ES GQ GT HN IC MX NI PA PE PY SV UY VE',
  et: 'EE',
  fa: 'AF IR',
  fi: 'AX FI',
  fo: 'FO',
  fr: 'BI BJ BL CD CF CG CI DJ FR GA GF GN GP HT MC MF ML MQ NC NE PF PM RE SN TF TG WF YT',
  he: 'IL',
  hr: 'HR',
  hu: 'HU',
  hy: 'AM',
  id: 'ID',
  is: 'IS',
  it: 'IT SM VA',
  ja: 'JP',
  ka: 'GE',
  kk: 'KZ',
  kl: 'GL',
  km: 'KH',
  ko: 'KP KR',
  ky: 'KG',
  lb: 'LU',
  lo: 'LA',
  lt: 'LT',
  lv: 'LV',
  mg: 'MG',
  mk: 'MK',
  mn: 'MN',
  ms: 'BN MY',
  mt: 'MT',
  my: 'MM',
  ne: 'NP',
  nl: 'BE BQ NL SR SX',
  no: 'BV NO SJ',
  pap: 'AW CW',
  pl: 'PL',
  pt: 'AO BR CV GW MZ PT ST TL',
  ro: 'MD RO',
  ru: 'RU',
  rw: 'RW',
  si: 'LK',
  sk: 'SK',
  sl: 'SI',
  sq: 'AL XK',
  sr: 'RS',
  sv: 'SE',
  sw: 'TZ',
  tg: 'TJ',
  th: 'TH',
  tk: 'TM',
  to: 'TO',
  tr: 'TR',
  tvl: 'TV',
  uk: 'UA',
  uz: 'UZ',
  vi: 'VN',
  zh: 'CN HK MO TW',
};

const byCountry = once(() => byCode(LANGUAGES));

function byCode(codesOf: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(codesOf).flatMap(([language, codes]) =>
      codes.split(' ').map(code => [code, language] as const),
    ),
  );
}

/** The language of the local names of a country's holidays in the table: `de`. */
export function nameLanguageOf(countryCode: string): string {
  return byCountry().get(countryCode) ?? 'en';
}

/** Places with another language than the names in the table, most of which are translated into it. */
const OTHER_PLACES: Readonly<Record<string, string>> = {
  de: 'BE-DE',
  fr: 'BE-WAL CA-QC CH-FR CH-GE CH-JU CH-NE CH-VD CH-VS',
  it: 'CH-TI',
};

const byPlace = once(() => byCode(OTHER_PLACES));

/** The language of a country or a subdivision; if it has several, that of the majority. */
export function languageOfPlace(countryCode: string, subdivisionCode: string | null): string {
  const part = subdivisionCode === null ? '' : `-${subdivisionCode.split('-', 1)[0]}`;
  return byPlace().get(countryCode + part) ?? nameLanguageOf(countryCode);
}

/** A language and optional subtags: script, region, variants, extensions. */
const TAG = /^([a-z]{2,8})(-[a-z0-9]{1,8})*$/;

/** The language of a BCP 47 tag, such as `de` for `de-AT`; undefined if the tag is malformed. */
export function primaryLanguage(tag: string): string | undefined {
  const language = TAG.exec(tag.toLowerCase())?.[1];
  // Bokmål and Nynorsk count as Norwegian.
  return language === 'nb' || language === 'nn' ? 'no' : language;
}
