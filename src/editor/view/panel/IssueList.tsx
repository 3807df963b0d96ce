import type { Issue } from '../../../shared/issue.ts';
import { Button } from '../Button.tsx';

type Props = {
  readonly issues: readonly Issue[];
  readonly sentence: (issue: Issue) => string;
  readonly fixes: (issue: Issue) => readonly string[];
  readonly useInstead: (value: string) => string;
  readonly onFix: (issue: Issue, value: string) => void;
  readonly where?: (issue: Issue) => string;
  readonly id?: string;
};

/** What is wrong, each with the values that would be right as buttons. */
export const IssueList = ({ issues, sentence, fixes, useInstead, onFix, where, id }: Props) => (
  <ul class="issues" id={id}>
    {issues.map((issue) => (
      <li key={`${issue.path} ${issue.rule}`}>
        <span>
          {where && <b>{where(issue)}: </b>}
          {sentence(issue)}
        </span>
        {fixes(issue).map((value) => (
          <Button text={useInstead(value)} key={value} class="fix" onClick={() => onFix(issue, value)} />
        ))}
      </li>
    ))}
  </ul>
);
