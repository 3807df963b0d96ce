/** What is a device of its own below the heating, by the first levels of its features; the first row that matches counts. */
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

/** The part with the burners, compressors and what belongs to them. No feature has this name. */
const GENERATOR = 'generator';

/** The part that a feature belongs to, named by its first levels (`heating.circuits.0`) or `generator`; undefined for the heating itself. */
export const partOf = (feature: string): string | undefined => {
  for (const [pattern, name] of PARTS) {
    const found = pattern.exec(feature)?.[0];
    if (found !== undefined) return name(found);
  }
  return undefined;
};
