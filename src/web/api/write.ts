import type { PostAnswers } from '../../api/answers.ts';
import { type Clock, within } from '../../shared/clock.ts';
import { isRecord } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import { shortTopic, topicMistake } from '../../shared/topicName.ts';
import type { Answer } from '../../topics/resultPayload.ts';
import type { LiveState } from '../live/liveState.ts';
import { post, type Route, refused, type WebAnswer, type WebRequest } from '../routes.ts';

/** An answer within this time is returned with the request; later ones come as events. */
const AT_ONCE_MS = 300;

/** Each answer contains it, and the last hundred answers are kept. */
const LONGEST_ID = 200;

const NO_BRIDGE = refused(503, 'restarting', 'The bridge is restarting; nothing was sent. Try again in a moment.', {
  headers: { 'retry-after': '5' },
});

/** Commands from the page, through the same input as those from MQTT. */
export const writeRoutes = (state: LiveState, clock: Clock, log: Log): readonly Route[] => {
  const write = async ({ body, user, client }: WebRequest): Promise<WebAnswer> => {
    const { topic, payload, id } = isRecord(body) ? body : {};
    if (typeof topic !== 'string' || typeof payload !== 'string') return refused(422, 'invalid', 'topic and payload must be strings.');
    if (id !== undefined && typeof id !== 'number' && (typeof id !== 'string' || id.length > LONGEST_ID))
      return refused(422, 'invalid', `id must be a number, or a string of up to ${LONGEST_ID} characters.`);
    const { view } = state;
    if (!view) return NO_BRIDGE;
    if (!topic.startsWith(`${view.base}/`) || topicMistake(topic) !== undefined)
      return refused(422, 'invalid', `topic must be a command topic below ${view.base}/.`);
    log.debug({ topic: shortTopic(topic), user, client }, 'a command from the page');
    state.took(id);
    const first = Promise.withResolvers<Answer>();
    const by = { kind: 'page', user } as const;
    view.submit({ topic, payload: Buffer.from(payload), id, by, onAnswer: (answer) => first.resolve(answer) });
    const answer = await within(clock, AT_ONCE_MS, first.promise);
    const json: PostAnswers['api/write'] = answer && answer.status !== 'accepted' ? answer : id === undefined ? {} : { id };
    return { status: json.status === undefined ? 202 : 200, json };
  };
  return [post('api/write', write)];
};
