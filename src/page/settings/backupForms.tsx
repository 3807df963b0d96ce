import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Button } from '../../editor/view/Button.tsx';
import { Problem } from '../setup/field.tsx';
import { textOf, words } from '../setup/setupState.ts';
import { useWork } from '../setup/work.tsx';
import { apiUrl, session } from '../state/api.ts';
import { isSaving, restoreBackup } from './saveSettings.ts';

/** Restores a backup, also during the first setup. */
export const RestoreForm = () => {
  const file = useSignal<File | undefined>(undefined);
  const { problems, isBusy, run } = useWork();
  const id = useId();
  const w = words.value;
  const restore = async () => (file.value ? restoreBackup(file.value) : {});
  return (
    <details class="card stack">
      <summary>{w.restoreTitle}</summary>
      <p>{w.restoreText}</p>
      <div class="field">
        <label for={id}>{w.restoreFile}</label>
        <input
          id={id}
          type="file"
          accept=".gz"
          onChange={({ currentTarget }) => {
            file.value = currentTarget.files?.[0];
          }}
        />
      </div>
      <Problem text={textOf(problems.value)} />
      <Button
        class="start"
        text={isBusy.value ? w.restoring : w.restore}
        disabled={isBusy.value || isSaving.value || !file.value}
        onClick={() => void run(restore)}
      />
    </details>
  );
};

/** Download and restore of a backup. */
export const BackupForms = () => {
  const w = words.value;
  return (
    <>
      <section class="card stack">
        <p>{w.backupText}</p>
        <p>{w.backupSecrets}</p>
        <p class="quiet">{session.value?.ingress ? w.backupHub : w.backupFile}</p>
        <p>
          <a class="button" href={apiUrl('api/backup')} download="">
            {w.download}
          </a>
        </p>
      </section>
      <RestoreForm />
    </>
  );
};
