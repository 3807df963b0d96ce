import { computed } from '@preact/signals';
import type { JSX } from 'preact';
import { DAYS } from '../../schedule/week.ts';
import type { Answer } from '../../topics/resultPayload.ts';
import { decodeLevel } from '../../topics/topicNames.ts';
import { ChangeList, daysText, historyWords } from '../history/changeList.tsx';
import { reasonOf } from '../model/outcome.ts';
import { breakable } from '../shell/breakable.tsx';
import { localMoment, localTimes } from '../shell/format.ts';
import { Heading } from '../shell/heading.tsx';
import { rule, words } from '../shell/words.ts';
import { answers, base, logLines } from '../state/store.ts';
import { BugReport } from './bugReport.tsx';
import { Calls } from './calls.tsx';
import { logWords } from './words.ts';

/** The first answer of a write in progress, else the last answer; newest first. */
const latest = computed(() => {
  const isOpen = ({ status }: Pick<Answer, 'status'>): boolean => status === 'accepted' || status === 'waiting';
  const ended = new Set(answers.value.filter((answer) => !isOpen(answer)).map(keyOf));
  return answers.value.filter((answer) => !isOpen(answer) || !ended.has(keyOf(answer))).toReversed();
});

const keyOf = ({ id, topic }: Answer): string => JSON.stringify([topic, id]);

/** The last answers to changes from all clients, and the last messages of the bridge; newest first. */
export const LogPage = () => {
  const w = words.value;
  const l = logWords.value;
  const h = historyWords.value;
  return (
    <>
      <Heading text={w.log} />
      <section class="card stack" aria-labelledby="changes">
        <h2 id="changes">{h.history}</h2>
        <p class="quiet">{h.historyHint}</p>
        <ChangeList />
      </section>
      <Lines id="answers" title={l.answers} hint={l.answersHint} none={l.noAnswers}>
        {latest.value.map((answer) => (
          <AnswerLine key={`${answer.at} ${answer.topic} ${answer.status}`} answer={answer} />
        ))}
      </Lines>
      <Lines id="messages" title={l.messages} none={l.noMessages}>
        {logLines.value.toReversed().map(({ at, level, message }, index) => (
          <li key={`${at} ${index}`} class={level}>
            <time dateTime={at}>{localMoment(at)}</time>
            <span class="pill">{Object.hasOwn(l.levels, level) ? l.levels[level] : level}</span>
            <span lang="en">{localTimes(message)}</span>
          </li>
        ))}
      </Lines>
      <Calls />
      <BugReport />
    </>
  );
};

type LinesProps = {
  readonly id: string;
  readonly title: string;
  readonly hint?: string;
  readonly none: string;
  readonly children: readonly JSX.Element[];
};

const Lines = ({ id, title, hint, none, children }: LinesProps) => (
  <section class="card stack" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {hint !== undefined && children.length > 0 && <p class="quiet">{hint}</p>}
    {children.length === 0 ? <p class="quiet">{none}</p> : <ol class="log">{children}</ol>}
  </section>
);

/** The decoded name of a topic level. Stays encoded with a slash or invisible (direction) characters. */
const nameOfLevel = (level: string): string => {
  const name = decodeLevel(level) ?? level;
  return /[\p{C}/]/u.test(name) ? level : name;
};

/** The write target, below the base, with decoded names. */
const placeIn = (topic: string): string =>
  topic
    .replace(`${base.value}/`, '')
    .replace(/\/(?:set|call\/[^/]+)$/u, '')
    .split('/')
    .map(nameOfLevel)
    .join('/');

const AnswerLine = ({ answer }: { readonly answer: Answer }) => {
  const w = words.value;
  const { at, status, topic, changed } = answer;
  const isProblem = status === 'rejected' || status === 'failed';
  return (
    <li class={isProblem ? 'error' : status}>
      <time dateTime={at}>{localMoment(at)}</time>
      <span class="pill">{logWords.value.statuses[status]}</span>
      <span>
        <code>{breakable(placeIn(topic))}</code>
        {changed && changed.length > 0 && ` (${daysText(DAYS.filter((day) => changed.includes(day)))})`}
        {isProblem && <span class="block">{localTimes(reasonOf(answer, w, rule.value))}</span>}
      </span>
    </li>
  );
};
