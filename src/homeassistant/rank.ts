import type { Entity, EntityPlatform, Rank } from './entities/entity.ts';

/** At most so many entities of a part are enabled, and so many of a heating with all its parts; each room is looked at alone. */
export const MOST_OF_PART = 12;
export const MOST_IN_ALL = 45;

type Row = readonly [pattern: RegExp, shown: 'main' | 'diagnostic' | 'hidden', group?: string];

/**
 * What is enabled, from the most to the least important; where there are too many, the last ones are disabled. The first row that matches
 * `platform feature/word` counts; indexes are written `N`, and everything else is hidden. Of the rows of a group only the first that is found
 * in a part counts: they are ways to say the same.
 */
const ROWS: readonly Row[] = [
  // What belongs to service, or has a better one of its kind.
  [/^\w+ heating\.sensors\.\w+\.(hotGas|liquidGas|suctionGas|allengra)\//, 'hidden'],
  [/^\w+ heating\.circuits\.N\.sensors\.temperature\.(?!room|supply)/, 'hidden'],
  [/^\w+ [\w.]+\.configuration[./]/, 'hidden'],

  // What each part is there for.
  [/^(climate|water_heater|event) /, 'main'],
  [/\/week\/text$/, 'main'],
  [/^select ([\w.]+\.)?operating\.modes\.active\/value$/, 'main'],
  // A circuit that has the schedules of the hot water too: its own is the first to be whole.
  [/ heating\.circuits\.N\.heating\.schedule\/week\/(profile|now|next_at)$/, 'main'],
  [/\/week\/profile$/, 'main'],
  [/\/week\/now$/, 'main'],
  [/\/week\/next_at$/, 'main'],
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
  [/^(text|sensor|button) heating\.(circuits\.N\.)?operating\.programs\.holiday\/(start|end|call\/unschedule)$/, 'main'],
  [/^number heating\.dhw\.temperature\.main\/value$/, 'main'],
  [/^(sensor|select) (heating\.circuits\.N|heating\.dhw|ventilation|fht)\.operating\.(modes|programs)\.active\/value$/, 'main'],
  [/^sensor rooms\.N\.(sensors\.humidity|co2)\/value$/, 'main'],
  [/^number heating\.circuits\.N\.heating\.curve\/(slope|shift)$/, 'main'],
  [/^sensor heating\.(burners\.N\.modulation|compressors\.N\.speed\.current)\/value$/, 'main'],
  [/^number (heating\.circuits\.N|rooms\.N)\.operating\.programs\.(normal|reduced)(Heating)?\/temperature$/, 'main', 'levels'],
  [/^number rooms\.N\.temperature\.levels\.(normal|reduced)\.(heating|perceived)\/temperature$/, 'main', 'levels'],
  [/^number (heating\.circuits\.N|rooms\.N)\.operating\.programs\.comfort(Heating)?\/temperature$/, 'main'],

  // Ventilation, solar, storage of electricity, water.
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
  [/^\w+ water\.(valves\.shutoff\.(position|motor)|softener\.salt\.level(\.days)?|consumption\.flow\.current)\/\w+$/, 'main'],
  [/^sensor (heating\.)?fuelCell\.(operating\.phase|sensors\.temperature\.(supply|return))\/value$/, 'main'],

  // Energy and gas for the energy dashboard: the total where there is one, else its parts. A machine's own are in those of the heating.
  [/^sensor heating\.(compressors\.N|heatingRod)\.[\w.]+\/running_total$/, 'hidden'],
  [/^sensor heating\.power\.consumption\.total\/running_total$/, 'main', 'power in all'],
  [/^sensor heating\.power\.consumption(\.\w+)?\/running_total$/, 'main', 'power in all'],
  [/^sensor heating\.gas\.consumption\.total\/running_total$/, 'main', 'gas in all'],
  [/^sensor heating\.gas\.consumption(\.\w+)?\/running_total$/, 'main', 'gas in all'],
  [/^sensor heating\.heat\.production\.total\/running_total$/, 'main', 'heat in all'],
  [/^sensor heating\.heat\.production(\.\w+)?\/running_total$/, 'main', 'heat in all'],
  [/^sensor [\w.]+\/running_total$/, 'main'],

  // Amounts of today: one of electricity, of gas and of the sun each.
  [/^sensor heating\.power\.consumption\.total\/day$/, 'main', 'power today'],
  [/^sensor heating\.power\.consumption\.summary\.total\/currentDay$/, 'main', 'power today'],
  [/^sensor heating\.power\.consumption\.summary\.heating\/currentDay$/, 'main', 'power today'],
  [/^sensor heating\.power\.consumption\.heating\/day$/, 'main', 'power today'],
  [/^sensor heating\.gas\.consumption\.total\/day$/, 'main', 'gas today'],
  [/^sensor heating\.gas\.consumption\.summary\.total\/currentDay$/, 'main', 'gas today'],
  [/^sensor heating\.gas\.consumption\.summary\.heating\/currentDay$/, 'main', 'gas today'],
  [/^sensor heating\.gas\.consumption\.heating\/day$/, 'main', 'gas today'],
  [/^sensor heating\.solar\.power\.production\/day$/, 'main'],

  // What people like to see where there is room for it.
  [/^sensor device\.messages\.errors\.raw\/entries$/, 'diagnostic'],
  [/^\w+ (trv\.temperature|trv\.valve\.position)\/(position|value)$/, 'main'],
  [/^sensor device\.power\.battery\/level$/, 'main'],
  [/^sensor device\.sensors\.humidity\/value$/, 'main'],
  [/^sensor (heating\.secondaryCircuit|heating\.boiler|heating)\.sensors\.temperature\.return\/value$/, 'main'],
  [/^sensor heating\.(buffer|bufferCylinder)\.sensors\.temperature\.main\/value$/, 'main', 'buffer'],
  [/^sensor heating\.(buffer|bufferCylinder)\.sensors\.temperature\.top\/value$/, 'main', 'buffer'],
  [/^sensor heating\.sensors\.pressure\.supply\/value$/, 'main'],
  [/^binary_sensor (heating\.heatingRod|heating\.solar|heating\.secondaryHeatGenerator)\/active$/, 'main'],
  [/^binary_sensor heating\.dhw\.charging\/active$/, 'main'],
  [/^binary_sensor heating\.(solar\.pumps\.circuit|dhw\.pumps\.circulation|circuits\.N\.circulation\.pump)\/status$/, 'main'],
  [/^sensor heating\.compressors\.N\/phase$/, 'main'],
  [/^sensor heating\.primaryCircuit\.sensors\.temperature\.supply\/value$/, 'main'],
  [/^\w+ rooms\.N\.(childLock|condensationRisk|sensors\.openWindow)\/(active|value)$/, 'main'],
  [/^sensor heating\.(spf|scop)\.total\/value$/, 'main', 'efficiency'],
  [/^sensor heating\.cop\.total\/value$/, 'main', 'efficiency'],
  [/^sensor (gateway|tcu)\.wifi\/strength$/, 'diagnostic'],
  [/^sensor device\.zigbee\.lqi\/strength$/, 'diagnostic'],
  [/^button [\w.]+\/week\/until_(restore|keep)$/, 'main'],
];

const HIDDEN: Rank = { shown: 'hidden', order: ROWS.length };

/** The rank of an entity. It depends on the names alone, not on what else the device has. */
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

/**
 * The entities, of which the least important ones are disabled where a part or the whole has too many. One without a rank is always
 * enabled, unless it says itself that it is not.
 */
export const withinLimits = (entities: readonly Entity[]): readonly Entity[] => {
  const ranked = entities.filter(isEnabled).sort((a, b) => orderOf(a) - orderOf(b) || (a.key < b.key ? -1 : 1));
  /** The row of the group that counts, by part and group. */
  const groups = new Map<string, number>();
  const counts = new Map<string, number>();
  const disabled = new Set<Entity>();
  let all = 0;
  for (const entity of ranked) {
    const { part = '', rank } = entity;
    const group = `${part}/${rank?.group ?? entity.key}`;
    const count = counts.get(part) ?? 0;
    const isRoom = part.startsWith('rooms.');
    const isOver = count >= MOST_OF_PART || (!isRoom && all >= MOST_IN_ALL) || (groups.get(group) ?? rank?.order) !== rank?.order;
    if (rank !== undefined && isOver) {
      disabled.add(entity);
      continue;
    }
    if (rank) groups.set(group, rank.order);
    counts.set(part, count + 1);
    if (!isRoom) all += 1;
  }
  return entities.map((entity) => (disabled.has(entity) ? { ...entity, config: { ...entity.config, enabled_by_default: false } } : entity));
};
