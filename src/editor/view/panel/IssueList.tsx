import type { Issue } from '../../../shared/issue.ts';
import { Button } from '../Button.tsx';
import { useStore } from '../context.ts';

type Props = {
  readonly issues: readonly Issue[];
  readonly fixes: (issue: Issue) => readonly string[];
  readonly onFix: (issue: Issue, value: string) => void;
  readonly where?: (issue: Issue) => string;
  readonly id?: string;
};

/** The errors, each with buttons for the correct values. */
export const IssueList = ({ issues, fixes, onFix, where, id }: Props) => {
  const words = useStore().words.value;
  return (
    <ul class="issues" id={id}>
      {issues.map((issue) => (
        <li key={`${issue.path} ${issue.rule}`}>
          <span>
            {where && <b>{where(issue)}: </b>}
            {words.rule(issue)}
          </span>
          {fixes(issue).map((value) => (
            <Button text={words.useInstead(value)} key={value} class="fix" onClick={() => onFix(issue, value)} />
          ))}
        </li>
      ))}
    </ul>
  );
};
