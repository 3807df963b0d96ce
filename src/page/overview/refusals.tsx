import { REFUSAL_WORDS } from '../../language/answers/refusals.ts';
import { nameOf } from '../../language/names/name.ts';
import type { Refusal } from '../model/refusals.ts';
import { language } from '../state/preferences.ts';
import { deviceTitle } from './names.ts';

/** The list of what Viessmann refuses to this account. */
export const RefusalList = ({ refusals }: { readonly refusals: readonly Refusal[] }) => {
  const w = REFUSAL_WORDS[language.value];
  const textOf = ({ installation, gateway = '', device, feature, command }: Refusal): string => {
    if (installation !== undefined) return w.events(installation);
    if (device === undefined) return command === undefined ? w.gateway(gateway) : w.restart(gateway);
    const owner = deviceTitle(device);
    if (feature === undefined) return w.all(owner);
    const name = nameOf(feature, undefined, language.value);
    return `${command === undefined ? name : w.command(name)} (${owner}, ${[feature, command].filter(Boolean).join(' ')})`;
  };
  return (
    <details class="refusals">
      <summary>{w.title(refusals.length)}</summary>
      <p>{w.why}</p>
      <ul>
        {refusals.map((one) => (
          <li key={textOf(one)}>{textOf(one)}</li>
        ))}
      </ul>
    </details>
  );
};

/** Said beside controls of which some are refused. */
export const RefusedHere = () => <p class="quiet">{REFUSAL_WORDS[language.value].here}</p>;
