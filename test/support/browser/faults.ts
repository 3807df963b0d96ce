import type { Home } from '../../../src/simulator/home/home.ts';
import type { SimulatorOptions } from '../../../src/simulator/simulator.ts';
import type { TestSystemOptions } from '../system/testSystem.ts';
import type { LivePage } from './livePage.ts';

/** A bridge with every device of a home. */
export const bridgeOf = (home: Home, simulator: SimulatorOptions = { home }): TestSystemOptions => {
  const place = { installation: String(home.installation), gateway: home.gateway, features: ['*'], exclude: [] };
  const devices = Object.keys(home.devices).map((device, index) => ({ ...place, name: `home${index}`, device }));
  return { simulator, overrides: { devices } };
};

/** What is wrong with the page as it is shown, at both ends of its widths. */
export const faultsAt = async (
  { page, axe, overflow, wrong }: LivePage,
  place: string,
  widths: readonly number[] = [320, 1280],
): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const wide = await overflow();
    if (wide > 0) found.push(`${place} at ${width}: ${wide} px too wide`);
    found.push(...(await axe()).map((finding) => `${place} at ${width}: ${finding}`));
  }
  return [...found, ...(await wrong())];
};
