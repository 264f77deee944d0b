import { Html } from '@elysiajs/html';
import { compileDurationTemplate } from '../../text/duration.ts';

/** One day, two hours, three minutes and four seconds. */
const EXAMPLE_SECONDS = 93_784;

/** Templates that show what a token is worth. */
const TEMPLATES = ['%days d %hours h', '%hours:%minutes:%seconds', '%minutes min', '%hours h, 100%%'];

/** Durations, their templates, and business days. */
export function DurationsGuide(): JSX.Element {
  return (
    <>
      <p>
        <code>/v1/time/diff</code> and <code>/v1/time/elapsed</code> answer with durations in whole seconds,
        minutes, hours and days of 24 hours, each by itself and never negative. Their <code>format</code> is a
        template of <code>%days</code>, <code>%hours</code>, <code>%minutes</code> and <code>%seconds</code>:
        the largest token that is present takes all, and each smaller one what is left. Of a day, two hours,
        three minutes and four seconds:
      </p>
      <ul class="directives">
        {TEMPLATES.map(template => (
          <li class="template">
            <code safe>{template}</code>
            <samp safe>{compileDurationTemplate(template, 'format').format(EXAMPLE_SECONDS)}</samp>
          </li>
        ))}
      </ul>
      <p>
        <code>business_days=true</code> counts the days from the earlier date up to, and not including, the
        later one that are neither weekend nor holiday: from Monday to Wednesday it is two. The dates are read
        in the place that each side was given in, so that one instant in two places can have a business day
        between its dates. The weekend is Saturday and Sunday; <code>holiday_country</code> has that country's
        own, and its public holidays, those of <code>holiday_subdivision</code> included.{' '}
        <code>/v1/holidays</code> lists the days that are counted so, each with its source.
      </p>
    </>
  );
}
