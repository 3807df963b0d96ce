import type { Entity, EntityPlatform, Rank } from './entities/entity.ts';

/** The maximum of enabled entities per part, and per heating with all its parts; rooms count separately. */
export const MOST_OF_PART = 14;
export const MOST_IN_ALL = 60;

type Row = readonly [pattern: RegExp, shown: 'main' | 'diagnostic' | 'hidden', group?: string];

/**
 * The enabled entities in order of importance; if there are too many, the last are disabled. The first match
 * of `platform feature/word` counts (indexes are `N`); all others are hidden. In a group, only the first row
 * found in a part counts, because its rows show the same data.
 */
const ROWS: readonly Row[] = [
  // Service data, or data with a better equivalent.
  [/^\w+ heating\.sensors\.\w+\.(hotGas|liquidGas|suctionGas|allengra)\//, 'hidden'],
  [/^\w+ heating\.circuits\.N\.sensors\.temperature\.(?!room|supply)/, 'hidden'],
  [/^\w+ [\w.]+\.configuration[./]/, 'hidden'],

  // The main purpose of each part.
  [/^(climate|water_heater|event) /, 'main'],
  [/\/week\/text$/, 'main'],
  [/^select ([\w.]+\.)?operating\.modes\.active\/value$/, 'main'],
  // Some circuits also have hot water schedules: their own schedule comes first.
  [/ heating\.circuits\.N\.heating\.schedule\/week\/(now|next_at)$/, 'main'],
  [/\/week\/now$/, 'main'],
  [/^(switch|binary_sensor) heating\.dhw\.oneTimeCharge\/active$/, 'main'],
  [/^sensor (heating\.|ventilation\.)?sensors\.temperature\.(outside|outdoor)\/value$/, 'main'],
  [/^sensor heating\.dhw\.sensors\.temperature\.hotWaterStorage\/value$/, 'main', 'storage temperature'],
  [/^sensor heating\.dhw\.sensors\.temperature\.dhwCylinder\/value$/, 'main', 'storage temperature'],
  [/^sensor heating\.dhw\.sensors\.temperature\.hotWaterStorage\.top\/value$/, 'main', 'storage temperature'],
  [/^sensor heating\.dhw\.sensors\.temperature\.dhwCylinder\.top\/value$/, 'main', 'storage temperature'],
  [/^sensor (rooms\.N|heating\.circuits\.N|device|trv|fht)\.sensors\.temperature(\.(room|supply))?\/value$/, 'main'],
  [/^\w+ heating\.(burners|compressors)\.N\/active$/, 'main', 'source'],
  [/^\w+ heating\.burner\/active$/, 'main', 'source'],
  [/^sensor heating\.boiler\.sensors\.temperature\.commonSupply\/value$/, 'main', 'supply'],
  [/^sensor heating\.secondaryCircuit\.sensors\.temperature\.supply\/value$/, 'main', 'supply'],
  [/^sensor heating\.boiler\.sensors\.temperature\.main\/value$/, 'main', 'supply'],
  [/^sensor heating\.boiler\.temperature\/value$/, 'main', 'supply'],
  // Energy dashboard: the total, else its parts. A machine's own amounts are included in the heating's.
  [/^sensor heating\.(compressors\.N|heatingRod)\.[\w.]+\/running_total$/, 'hidden'],
  [/^sensor heating\.power\.consumption\.total\/running_total$/, 'main', 'power in all'],
  [/^sensor heating\.power\.consumption(\.\w+)?\/running_total$/, 'main', 'power in all'],
  [/^sensor heating\.gas\.consumption\.total\/running_total$/, 'main', 'gas in all'],
  [/^sensor heating\.gas\.consumption(\.\w+)?\/running_total$/, 'main', 'gas in all'],
  [/^sensor heating\.heat\.production\.total\/running_total$/, 'main', 'heat in all'],
  [/^sensor heating\.heat\.production(\.\w+)?\/running_total$/, 'main', 'heat in all'],
  [/^sensor [\w.]+\/running_total$/, 'main'],

  // Values that users plan and set.
  [/^number (heating\.circuits\.N|rooms\.N)\.operating\.programs\.(normal|reduced)(Heating)?\/temperature$/, 'main', 'levels'],
  [/^(text|sensor|button) heating\.(circuits\.N\.)?operating\.programs\.holiday\/(start|end|call\/unschedule)$/, 'main', 'holiday'],
  [/^number heating\.dhw\.temperature\.main\/value$/, 'main'],
  [/^(sensor|select) (heating\.circuits\.N|heating\.dhw|ventilation|fht)\.operating\.(modes|programs)\.active\/value$/, 'main'],
  [/^sensor rooms\.N\.(sensors\.humidity|co2)\/value$/, 'main'],
  [/^number heating\.circuits\.N\.heating\.curve\/(slope|shift)$/, 'main', 'curve'],
  [/^sensor heating\.(burners\.N\.modulation|compressors\.N\.speed\.current)\/value$/, 'main'],
  [/^number rooms\.N\.temperature\.levels\.(normal|reduced)\.(heating|perceived)\/temperature$/, 'main', 'levels'],
  [/^number (heating\.circuits\.N|rooms\.N)\.operating\.programs\.comfort(Heating)?\/temperature$/, 'main'],
  // Values that users set come before automatic changes.
  [/\/week\/next_at$/, 'main'],

  [/^number heating\.dhw\.temperature\.temp2\/value$/, 'main'],
  [/^binary_sensor (heating\.dhw\.pumps\.(primary|circulation)|heating\.circuits\.N\.circulation\.pump)\/status$/, 'main'],

  // Ventilation, solar, battery, water.
  [/^(sensor|select) ventilation\.operating\.state\/level$/, 'main'],
  [/^switch ventilation\.quickmodes\.\w+\/active$/, 'main'],
  [/^sensor ventilation\.filter\.runtime\/remainingHours$/, 'main'],
  [/^sensor ventilation\.sensors\.temperature\.(supply|extract)\/value$/, 'main'],
  [/^sensor ventilation\.(sensors\.humidity\.extract|sensors\.volatileOrganicCompounds|sensors\.airBorneDust\.pm2d5)\/value$/, 'main'],
  [/^sensor ventilation\.(sensors\.temperature\.exhaust|bypass\.position|heating\.recovery)\/value$/, 'main'],
  [/^sensor heating\.solar\.sensors\.temperature\.(collector|dhw)\/value$/, 'main'],
  [/^sensor (ess|pcc|photovoltaic|heating\.solar|heating\.power)\.[\w.]*(stateOfCharge|current|exchange|power|total)\/value$/, 'main'],
  [/^sensor (ess|photovoltaic)\.[\w.]*cumulated\/currentDay$/, 'main'],
  [/^sensor ess\.operationState\/value$/, 'main'],
  [/^\w+ water\.(valves\.shutoff\.(position|motor)|softener\.salt\.level(\.days)?|consumption\.(flow\.current|total))\/\w+$/, 'main'],
  [/^sensor heating\.boiler\.(ash\.level\.current|operating\.phase)\/value$/, 'main'],
  [/^sensor (heating\.)?fuelCell\.(operating\.phase|sensors\.temperature\.(supply|return))\/value$/, 'main'],

  // Today's amounts of electricity, gas and sun. If a summary is called "today", a list is "by day".
  [/^sensor heating\.power\.consumption\.summary\.total\/currentDay$/, 'main', 'power today'],
  [/^sensor heating\.power\.consumption\.total\/day$/, 'main', 'power today'],
  [/^sensor heating\.power\.consumption\.summary\.heating\/currentDay$/, 'main', 'power today'],
  [/^sensor heating\.power\.consumption\.heating\/day$/, 'main', 'power today'],
  [/^sensor heating\.gas\.consumption\.summary\.total\/currentDay$/, 'main', 'gas today'],
  [/^sensor heating\.gas\.consumption\.total\/day$/, 'main', 'gas today'],
  [/^sensor heating\.gas\.consumption\.summary\.heating\/currentDay$/, 'main', 'gas today'],
  [/^sensor heating\.gas\.consumption\.heating\/day$/, 'main', 'gas today'],
  [/^sensor heating\.solar\.power\.production\/day$/, 'main'],
  // The share of hot water.
  [/^sensor heating\.power\.consumption\.summary\.dhw\/currentDay$/, 'main', 'power of hot water today'],
  [/^sensor heating\.power\.consumption\.dhw\/day$/, 'main', 'power of hot water today'],
  [/^sensor heating\.gas\.consumption\.summary\.dhw\/currentDay$/, 'main', 'gas of hot water today'],
  [/^sensor heating\.gas\.consumption\.dhw\/day$/, 'main', 'gas of hot water today'],
  // How often the heat generator starts, and how long it runs.
  [/^sensor heating\.(burners|compressors)\.N\.statistics\/(starts|hours)$/, 'diagnostic'],

  // Additional data of interest, if there is room.
  [/^sensor device\.messages\.errors\.raw\/entries$/, 'diagnostic'],
  [/^\w+ (trv\.temperature|(trv|fht)\.valve\.(position|state))\/(position|status|value)$/, 'main'],
  [/^sensor device\.power\.battery\/level$/, 'main'],
  [/^sensor device\.sensors\.humidity\/value$/, 'main'],
  [/^sensor (heating\.secondaryCircuit|heating\.boiler|heating)\.sensors\.temperature\.return\/value$/, 'main'],
  [/^sensor heating\.(buffer|bufferCylinder)\.sensors\.temperature\.main\/value$/, 'main', 'buffer'],
  [/^sensor heating\.(buffer|bufferCylinder)\.sensors\.temperature\.top\/value$/, 'main', 'buffer'],
  [/^sensor heating\.sensors\.pressure\.supply\/value$/, 'main'],
  [/^binary_sensor (heating\.heatingRod|heating\.solar|heating\.secondaryHeatGenerator)\/active$/, 'main'],
  [/^binary_sensor heating\.dhw\.charging\/active$/, 'main'],
  [/^binary_sensor heating\.solar\.pumps\.circuit\/status$/, 'main'],
  [/^number heating\.dhw\.temperature\.hysteresis\/(value|switchO(n|ff)Value)$/, 'diagnostic'],
  [/^sensor heating\.compressors\.N\/phase$/, 'main'],
  [/^sensor heating\.primaryCircuit\.sensors\.temperature\.supply\/value$/, 'main'],
  [/^\w+ rooms\.N\.(childLock|condensationRisk|sensors\.openWindow)\/(active|value)$/, 'main'],
  [/^sensor heating\.(spf|scop)\.total\/value$/, 'main', 'efficiency'],
  [/^sensor heating\.cop\.total\/value$/, 'main', 'efficiency'],
  [/^sensor (gateway|tcu)\.wifi\/strength$/, 'diagnostic'],
  [/^sensor device\.zigbee\.lqi\/strength$/, 'diagnostic'],
  // Last, so that profiles in the settings displace nothing.
  [/ heating\.circuits\.N\.heating\.schedule\/week\/profile$/, 'main'],
  [/\/week\/profile$/, 'main'],
];

const HIDDEN: Rank = { shown: 'hidden', order: ROWS.length };

/** The rank of an entity. It depends only on the names, not on the rest of the device. */
export const rankOf = (platform: EntityPlatform, feature: string, word: string): Rank => {
  const place = `${platform} ${feature}/${word}`.replace(/\.\d+(?=[./])/g, '.N');
  const order = ROWS.findIndex(([pattern]) => pattern.test(place));
  const row = ROWS[order];
  if (row === undefined) return HIDDEN;
  const [, shown, group] = row;
  return { shown, order, ...(group === undefined ? {} : { group }) };
};

const isEnabled = ({ config }: Entity): boolean => config.enabled_by_default !== false;
const orderOf = ({ rank }: Entity): number => rank?.order ?? -1;

/** Enabled only together: partial amounts look like the total; holidays and curves have two values. */
const TOGETHER = /^(?:holiday|curve)$| in all$/;

const isRoom = (part: string): boolean => part.startsWith('rooms.');

/** The parts of entities, for counting: a device with one part has one page. */
const pageOf = (entities: readonly Entity[]): ((entity: Entity) => string) => {
  const isOnePage = new Set(entities.flatMap(({ part }) => part ?? [])).size < 2;
  return ({ part = '' }) => (isOnePage ? '' : part);
};

/**
 * Disables the least important entities if a part or the whole has too many. Entities without a rank stay as
 * they are. Parts of one kind have the same entities: without room in one part, or in the whole, no part has
 * the entity.
 */
export const withinLimits = (entities: readonly Entity[]): readonly Entity[] => {
  const ranked = entities.filter(isEnabled).sort((a, b) => orderOf(a) - orderOf(b) || (a.key < b.key ? -1 : 1));
  const partOf = pageOf(ranked);
  /** The row that counts, by part and group. */
  const groups = new Map<string, number>();
  const counts = new Map<string, number>();
  const enabled = new Set<Entity>();
  let count = 0;
  const groupOf = (entity: Entity): string => `${partOf(entity)}/${entity.rank?.group ?? entity.key}`;
  const roomIn = (part: string): number => MOST_OF_PART - (counts.get(part) ?? 0);
  const openOf = (own: readonly Entity[]): readonly Entity[] =>
    own.filter((entity) => (groups.get(groupOf(entity)) ?? orderOf(entity)) === orderOf(entity));
  const enable = (entity: Entity): void => {
    const part = partOf(entity);
    enabled.add(entity);
    if (entity.rank) groups.set(groupOf(entity), entity.rank.order);
    counts.set(part, (counts.get(part) ?? 0) + 1);
    if (!isRoom(part)) count += 1;
  };
  for (const row of Map.groupBy(ranked, (entity) => `${orderOf(entity)} ${partOf(entity).replace(/\.\d+$/, '')}`).values()) {
    const byPart = [...Map.groupBy(row, partOf)].map(([part, own]) => ({ part, open: openOf(own) }));
    const all = byPart.flatMap(({ open }) => open);
    const [first] = all;
    const isFree = first?.rank === undefined;
    const isWhole = byPart.length > 1 || TOGETHER.test(first?.rank?.group ?? '');
    const left = first === undefined || isRoom(partOf(first)) ? all.length : Math.max(0, MOST_IN_ALL - count);
    const fits = all.length <= left && byPart.every(({ part, open }) => open.length <= roomIn(part));
    const fitting = isWhole ? [] : byPart.flatMap(({ part, open }) => open.slice(0, Math.max(0, Math.min(left, roomIn(part)))));
    for (const entity of isFree || fits ? all : fitting) enable(entity);
  }
  return entities.map((entity) =>
    isEnabled(entity) && !enabled.has(entity) ? { ...entity, config: { ...entity.config, enabled_by_default: false } } : entity,
  );
};
