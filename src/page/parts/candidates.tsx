// Why Placement offers some provider trees and not the others, and what would make each fit.
import type { CandidateDetails, RejectedTree } from '../core/explanations.ts';
import { hrefOf } from '../core/router.ts';
import { counted } from './text.ts';

export function Candidates({ details }: { readonly details: CandidateDetails }) {
  const { trees, rejected, refusal } = details;
  return (
    <section class="candidates" aria-label="Provider trees">
      <h3>
        {trees.offered} of {counted(trees.total, 'provider tree')} offered
      </h3>
      {refusal !== null && <p class="failed">{refusal}</p>}
      <ul>
        {rejected.map((tree) => (
          <Rejected key={tree.root.uuid} tree={tree} />
        ))}
      </ul>
      {trees.rejected > rejected.length && (
        <p class="muted small">{counted(trees.rejected - rejected.length, 'more tree')}.</p>
      )}
    </section>
  );
}

/** Every cause that rejects a tree, and the smallest change after which it would be offered. */
export const Rejected = ({ tree: { root, causes, change } }: { readonly tree: RejectedTree }) => (
  <li>
    <a href={hrefOf('hosts', { host: root.name })}>{root.name}</a>
    <ul class="causes">
      {causes.map(({ text }) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
    {change !== null && (
      <p class="change">
        <span class="tag">to fit</span> {change.map(({ text }) => text).join('; ')}
      </p>
    )}
  </li>
);
