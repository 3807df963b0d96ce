import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useEffect } from 'preact/hooks';
import type { AccountSummary } from '../../api/accounts.ts';
import { Button } from '../../editor/view/Button.tsx';
import { Problem, TextField } from '../setup/field.tsx';
import { problemsOf, textOf, translated } from '../setup/setupState.ts';
import { useWork } from '../setup/work.tsx';
import { calendarDay, localMoment } from '../shell/format.ts';
import { Heading } from '../shell/heading.tsx';
import { loadSession, postJson } from '../state/api.ts';
import { placeOf } from '../state/place.ts';
import { AccountLink, AccountLogin, AddForm } from './accountForms.tsx';
import { accounts, loadAccounts, sortedAccounts } from './accounts.ts';
import { isOfFleet } from './fleet.ts';
import { accountWords } from './words.ts';

const REFRESH_MS = 5000;

type Opened = { readonly kind: 'add' } | { readonly kind: 'login' | 'link'; readonly name: string };

/** The table of all accounts, with their actions. */
export const AccountsPage = () => {
  const filter = useSignal('');
  const opened = useSignal<Opened | undefined>(undefined);
  const { problems, run } = useWork();
  const w = accountWords.value;
  const unread = useSignal('');
  const load = async (): Promise<void> => {
    unread.value = await loadAccounts().then(
      () => '',
      (error: unknown) => textOf(problemsOf(error)),
    );
  };
  useEffect(() => {
    void load();
    const timer = setInterval(() => document.hidden || load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const close = (): void => {
    opened.value = undefined;
    document.querySelector('h1')?.focus();
  };
  const open = (next: Opened): void => {
    opened.value = next;
    scrollTo(0, 0);
  };
  const remove = async ({ name }: AccountSummary): Promise<undefined> => {
    await postJson('api/accounts/remove', { name });
    await Promise.all([loadAccounts(), loadSession()]);
  };
  const askToRemove = (one: AccountSummary): void => {
    if (confirm(isOfFleet(one) ? w.sureForget(one.name) : w.sureRemove(one.name))) void run(() => remove(one));
  };
  const nameOf = ({ name }: AccountSummary): string => name || w.main;
  const stateOf = ({ state, broker, worker, servedSinceMs: sinceMs }: AccountSummary): string => {
    const since = sinceMs === undefined ? '' : localMoment(sinceMs);
    const notes = [state === 'running' && !broker ? w.noBroker : '', worker === undefined ? '' : w.servedBy(worker, since)];
    return [w.states[state], ...notes.filter(Boolean)].join(', ');
  };
  const loginOf = ({ login, loginDueMs }: AccountSummary): string => {
    const until = loginDueMs === undefined || login === 'needed' ? undefined : w.until(calendarDay(new Date(loginDueMs)));
    return login === 'ok' && until !== undefined ? until : [w.logins[login], until].filter(Boolean).join(', ');
  };
  const problemOf = ({ problem: text, problemCode: code, problemFacts: facts = {} }: AccountSummary): string | undefined =>
    (code === undefined ? undefined : w.problems[code]?.(facts)) ?? (text === undefined ? undefined : translated([code], text, facts));
  const all = accounts.value ?? [];
  const shown = sortedAccounts(all, filter.value, (one) => [nameOf(one), stateOf(one), loginOf(one), problemOf(one)].join(' '));
  const { value } = opened;
  return (
    <div class="stack">
      <Heading text={w.title} />
      <Problem text={`${textOf(problems.value)} ${unread.value}`.trim()} />
      {value?.kind === 'add' && <AddForm onAdded={(name) => open({ kind: 'login', name })} onCancel={close} />}
      {value?.kind === 'login' && <AccountLogin key={value.name} name={value.name} onClose={close} />}
      {value?.kind === 'link' && <AccountLink key={value.name} name={value.name} onClose={close} />}
      {value === undefined && <Button text={w.add} class="primary start" onClick={() => open({ kind: 'add' })} />}
      {all.length > 5 && <TextField label={w.filter} type="search" text={filter} hint={w.shown(shown.length, all.length)} />}
      {all.length > 0 && shown.length === 0 && <p role="status">{w.none}</p>}
      <table class="accounts" hidden={shown.length === 0}>
        <thead>
          <tr>
            {[w.name, w.state, w.login, w.lastRead].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {shown.map((one) => (
            <Fragment key={one.name}>
              <tr>
                <th scope="row">{one.isElsewhere ? nameOf(one) : <a href={placeOf(one.name)}>{nameOf(one)}</a>}</th>
                <td data-title={w.state}>{stateOf(one)}</td>
                <td data-title={w.login}>{loginOf(one)}</td>
                <td data-title={w.lastRead}>{one.lastReadMs === undefined ? '–' : localMoment(one.lastReadMs)}</td>
                <td>
                  <div class="buttons">
                    {one.state !== 'wrong_settings' && !one.isElsewhere && (
                      <>
                        <Button
                          text={w.logIn}
                          aria-label={w.loginOf(nameOf(one))}
                          onClick={() => open({ kind: 'login', name: one.name })}
                        />
                        <Button text={w.link} aria-label={w.linkFor(nameOf(one))} onClick={() => open({ kind: 'link', name: one.name })} />
                      </>
                    )}
                    {one.name !== '' && <Button text={w.remove} aria-label={`${w.remove}: ${one.name}`} onClick={() => askToRemove(one)} />}
                  </div>
                </td>
              </tr>
              {problemOf(one) !== undefined && (
                <tr class="problem-row">
                  <td colSpan={5} data-title={w.problem}>
                    {problemOf(one)}
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
};
