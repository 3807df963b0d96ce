import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { GetAnswers } from '../../api/answers.ts';
import { Button } from '../../editor/view/Button.tsx';
import { Problem } from '../setup/field.tsx';
import { fixedText, textOf, words } from '../setup/setupState.ts';
import { useWork } from '../setup/work.tsx';
import { getJson, isLetIn } from '../state/api.ts';
import { newer } from '../state/store.ts';
import { saveSettings } from './saveSettings.ts';

const CHECK = 'web.update_check';

/** The version, the release notes of a newer one, and the setting for the version check. */
export const VersionForm = () => {
  const found = useSignal<GetAnswers['api/release'] | undefined>(undefined);
  const { problems, isBusy, run } = useWork();
  const w = words.value;
  const load = async () => {
    found.value = await getJson('api/release');
    newer.value = found.value.newer?.version;
    return {};
  };
  const mayLoad = isLetIn.value;
  useEffect(() => {
    if (mayLoad) void run(load);
  }, [mayLoad]);
  const { version, asks, newer: release } = found.value ?? {};
  const change = (): Promise<void> =>
    run(async () => {
      const wrong = await saveSettings({ [CHECK]: asks === 'off' ? true : null });
      return Object.keys(wrong).length > 0 ? wrong : load();
    });
  const fixed = fixedText(CHECK);
  return (
    <section class="card stack">
      <p>{version !== undefined && w.runningVersion(version)}</p>
      {release ? (
        <>
          <h3>{w.newVersion(release.version)}</h3>
          <pre class="notes">{release.notes}</pre>
          <p>
            <a href={release.address} target="_blank" rel="noopener noreferrer">
              {w.releasePage}
            </a>
          </p>
        </>
      ) : (
        asks === 'on' && <p>{w.noNewVersion}</p>
      )}
      {asks === 'hub' ? (
        <p>{w.hubTells}</p>
      ) : (
        <>
          <p class="quiet">{w.asksGitHub}</p>
          <p class="quiet">{fixed}</p>
          <Button
            class="start"
            text={asks === 'on' ? w.askNoMore : w.askDaily}
            disabled={isBusy.value || asks === undefined || fixed !== ''}
            onClick={change}
          />
        </>
      )}
      <Problem text={textOf(problems.value)} />
    </section>
  );
};
