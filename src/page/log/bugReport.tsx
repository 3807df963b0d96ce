import { useSignal } from '@preact/signals';
import { Button } from '../../editor/view/Button.tsx';
import { bugReport } from '../model/bugReport.ts';
import { CopyField } from '../setup/copyField.tsx';
import { base, devices, logLines, platform, topics, version } from '../state/store.ts';
import { logWords } from './words.ts';

/** Creates the text of a bug report from the current state, and shows it for copying. */
export const BugReport = () => {
  const w = logWords.value;
  const text = useSignal('');
  const make = (): void => {
    text.value = bugReport({
      ...{ topics: topics.value, base: base.value, version: version.value, platform: platform.value, devices: devices.value },
      ...{ browser: navigator.userAgent, log: logLines.value },
    });
  };
  return (
    <section class="card stack" aria-labelledby="bug-report">
      <h2 id="bug-report">{w.bugReport}</h2>
      <p class="quiet">{w.bugReportHint}</p>
      <Button text={w.makeBugReport} class="start" onClick={make} />
      {text.value !== '' && <CopyField label={w.bugReportText} value={text.value} lines={12} />}
    </section>
  );
};
