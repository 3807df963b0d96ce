import { useState } from 'preact/hooks';
import { profileNameOf } from '../../../schedule/profileName.ts';
import { changedDays } from '../../../schedule/week.ts';
import { unfit } from '../../model/issues.ts';
import { applyProfile } from '../../state/dayActions.ts';
import type { NamedWeek } from '../../types.ts';
import { Button } from '../Button.tsx';
import { useStore } from '../context.ts';
import { Modal } from './Modal.tsx';
import { whyNot } from './whyNot.ts';

/** A profile: the apply button if it fits, else the reason. */
const Profile = ({ profile }: { readonly profile: NamedWeek }) => {
  const store = useStore();
  const words = store.words.value;
  const [issue] = unfit(profile.week, store.constraints.value);
  const others = store.targets.value.flatMap(({ label, constraints }) => (unfit(profile.week, constraints).length === 0 ? [label] : []));
  const isSet = changedDays(store.week.value, { ...store.week.value, ...profile.week }).length === 0;
  return (
    <li>
      <span class="what">{profile.name}</span>
      {issue ? <span class="why bad">{whyNot(store, issue)}</span> : isSet && <span class="why good">{words.fits}</span>}
      {!issue && (
        <Button
          text={words.apply}
          aria-disabled={isSet}
          aria-label={`${words.apply}: ${profile.name}`}
          onClick={() => {
            if (!isSet) applyProfile(store, profile);
          }}
        />
      )}
      {others.length > 0 && (
        <span class="why others" dir="auto">
          {words.fitsOthers(others.join(', '))}
        </span>
      )}
    </li>
  );
};

/** Named weeks: apply one to the drawing, or save the drawing as one. */
export const ProfilesDialog = () => {
  const store = useStore();
  const words = store.words.value;
  const [name, setName] = useState('');
  const profiles = store.profiles.value;
  const typed = name.trim();
  const saved = profileNameOf(typed);
  const close = (): void => store.show();
  return (
    <Modal title={words.profiles}>
      {profiles.length === 0 ? (
        <p>{words.noProfiles}</p>
      ) : (
        <ul class="list">
          {profiles.map((profile) => (
            <Profile key={profile.name} profile={profile} />
          ))}
        </ul>
      )}
      <form
        class="save-profile"
        onSubmit={(event) => {
          event.preventDefault();
          if (saved === undefined) return;
          store.emit('saveprofile', { name: saved, week: store.week.value });
          store.say(words.profileSaved(saved));
          close();
        }}
      >
        <label for="profile-name">{words.saveProfile}</label>
        <div class="with">
          <input
            id="profile-name"
            type="text"
            maxLength={60}
            placeholder={words.profileName}
            value={name}
            aria-describedby="profile-as"
            aria-invalid={typed !== '' && saved === undefined}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Button text={words.save} type="submit" aria-disabled={saved === undefined} />
        </div>
        <p id="profile-as" class={saved === undefined ? 'bad' : ''} aria-live="polite">
          {typed === ''
            ? ''
            : saved === undefined
              ? words.profileNameWrong
              : words.profileAs(
                  saved,
                  profiles.some((one) => one.name === saved),
                )}
        </p>
      </form>
      <div class="actions">
        <Button text={words.close} class="primary quiet" onClick={close} />
      </div>
    </Modal>
  );
};
