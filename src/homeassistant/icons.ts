import type { EntityPlatform } from './entities/entity.ts';

/** The first match of `platform feature/property` counts (index: `N`). Device classes have their own icon. */
export const ICONS: readonly (readonly [RegExp, string])[] = [
  [/^\w+ heating\.dhw\.oneTimeCharge\//, 'mdi:water-boiler'],
  [/^\w+ heating\.dhw(\.hygiene)?\//, 'mdi:water-thermometer'],
  [/^\w+ heating\.(burner|burners\.N)(\.\w+)*\//, 'mdi:fire'],
  [/^\w+ heating\.compressors\.N(\.\w+)*\//, 'mdi:heat-pump'],
  [/^\w+ ([\w.]+\.)?pumps?(\.\w+)*\//, 'mdi:pump'],
  [/^\w+ heating\.circuits\.N\.heating\.curve\//, 'mdi:chart-bell-curve-cumulative'],
  [/^select .+\.operating\.modes\./, 'mdi:tune-variant'],
  [/^sensor .+\.operating\.(modes|programs)\.active\//, 'mdi:tune-variant'],
  [/^\w+ .+\.programs\.holiday\w*\//, 'mdi:beach'],
  [/^switch .+\.programs\.eco\//, 'mdi:leaf'],
  [/^switch .+\.programs\.\w+\//, 'mdi:sofa'],
  [/^switch .+\.quickmodes\./, 'mdi:fast-forward'],
  [/^\w+ rooms\.N\.childLock\//, 'mdi:account-child'],
  [/^\w+ .+\.messages\./, 'mdi:message-alert'],
  [/^\w+ ventilation\./, 'mdi:fan'],
];

/** The icon of a property; undefined for the hub's default. */
export const iconOf = (platform: EntityPlatform, feature: string, property: string): string | undefined => {
  const place = `${platform} ${feature}/${property}`.replace(/\.\d+(?=[./])/g, '.N');
  return ICONS.find(([pattern]) => pattern.test(place))?.[1];
};
