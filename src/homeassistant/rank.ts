/** Where an entity is shown: on the device's page, below Diagnostics, or below Diagnostics and disabled by default. */
export type Rank = 'main' | 'diagnostic' | 'hidden';

/** The first row that matches `feature/property` counts; indexes are written `N`. Everything else is hidden. */
const RANKS: readonly (readonly [RegExp, Rank])[] = [
  [/schedule\/active$/, 'diagnostic'],
  [/^heating\.sensors\.(temperature|pressure)\.(hotGas|liquidGas|suctionGas|allengra)\//, 'hidden'],
  [/^(device|fht|heating|rooms\.N|trv|ventilation)\.(sensors|airQuality)\.\w+(\.\w+)?\/value$/, 'main'],
  [/^heating\.(boiler|buffer|bufferCylinder|circuits\.N|dhw|flue|primaryCircuit|secondaryCircuit|solar)\.sensors\.[\w.]+\/value$/, 'main'],
  [/^(fht|heating\.circuits\.N|heating\.dhw|ventilation)\.operating\.(modes|programs)\.active\/value$/, 'main'],
  [/^(heating\.circuits\.N|rooms\.N)\.operating\.programs\.\w+\/temperature$/, 'main'],
  [/^heating\.circuits\.N(\.(circulation\.pump|heating\.curve|temperature))?\/(shift|slope|status|value)$/, 'main'],
  [/^heating\.circuits\.N\.temperature\.levels\/(max|min)$/, 'main'],
  [/^heating\.dhw(\.(charging|hygiene|oneTimeCharge|pumps\.\w+))?\/(active|enabled|status)$/, 'main'],
  [/^heating\.dhw\.temperature\.(main|temp2)\/value$/, 'main'],
  [/^heating\.boiler\.temperature\/value$/, 'main'],
  [/^heating\.(burner|burners\.N|compressors\.N|heatingRod|secondaryHeatGenerator|solar)\/(active|phase)$/, 'main'],
  [/^heating\.(burners\.N\.modulation|compressors\.N\.speed\.current|sensors\.volumetricFlow\.\w+)\/value$/, 'main'],
  [/^heating\.(burners\.N|compressors\.N|heatingRod)\.statistics\/(hours|starts)$/, 'main'],
  [/\.summary\.\w+\/current(Day|Month|Year)$/, 'main'],
  [/\.(consumption|production)(\.\w+)?\/day$/, 'main'],
  [/^heating\.(cop|scop|spf)\.total\/value$/, 'main'],
  [/^heating\.operating\.programs\.holiday\w*\/(active|end|start)$/, 'main'],
  [/\.quickmodes\.\w+\/active$/, 'main'],
  [/^ventilation\.(bypass\.position|heating\.recovery|volumeFlow\.current\.\w+)\/value$/, 'main'],
  [/^ventilation\.filter\.runtime\/remainingHours$/, 'main'],
  [/^(rooms\.N|ventilation)\.operating\.state\/(demand|level)$/, 'main'],
  [/^rooms\.N\.(childLock|condensationRisk)\/(active|value)$/, 'main'],
  [/^trv\.(temperature|valve\.position)\/(position|value)$/, 'main'],
  [/^device\.power\.battery\/level$/, 'main'],
  [/^device\.messages\.errors\.raw\/entries$/, 'diagnostic'],
  [/^(gateway|tcu)\.wifi\/strength$/, 'diagnostic'],
  [/^device\.zigbee\.lqi\/strength$/, 'diagnostic'],
];

/** The rank of a property. It depends on the names alone, not on what else the device has. */
export const rankOf = (feature: string, property: string): Rank => {
  const place = `${feature}/${property}`.replace(/\.\d+(?=[./])/g, '.N');
  return RANKS.find(([pattern]) => pattern.test(place))?.[1] ?? 'hidden';
};
