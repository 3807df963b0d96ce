/** The parts that can be separate devices, by the first levels of a feature; the first match counts. */
export const PARTS: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/^heating\.(?:circuits|coolingCircuits)\.\d+(?=\.|$)/, (found) => found],
  [/^rooms\.\d+(?=\.|$)/, (found) => found],
  [/^heating\.dhw(?=\.|$)/, (found) => found],
  [/^heating\.solar(?=\.|$)/, (found) => found],
  [/^ventilation(?=\.|$)/, (found) => found],
  [
    /^heating\.(?:boiler|burners?|compressors|condensors|economizers|evaporators|flue|heatingRod|inverters|primaryCircuit|secondaryCircuit|secondaryHeatGenerator)(?=\.|$)/,
    () => GENERATOR,
  ],
];

/** The part with the burners, compressors and related features. No feature has this name. */
const GENERATOR = 'generator';

/** The part of a feature (`heating.circuits.0`, `generator`); undefined for the heating itself. */
export const partOf = (feature: string): string | undefined => {
  for (const [pattern, name] of PARTS) {
    const found = pattern.exec(feature)?.[0];
    if (found !== undefined) return name(found);
  }
  return undefined;
};
