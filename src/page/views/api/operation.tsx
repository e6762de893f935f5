// One operation: what it takes and returns, and a form that sends it with the page's own token.
import { counted } from '../../parts/text.ts';
import { Panel } from '../../parts/panel.tsx';
import { typeOf, type OperationProps, type Schema } from './model.ts';
import { TryForm } from './try-form.tsx';

export function OperationPanel(props: OperationProps) {
  const { operation } = props;
  const { id, method, path, text, parameters, body, replies } = operation;
  return (
    <Panel title={id}>
      <p class="request-line">
        <strong>{method}</strong> <code>{props.prefix + path}</code>
      </p>
      <p>{text}</p>
      {parameters.length > 0 && (
        <>
          <h3>Parameters</h3>
          <dl class="fields">
            {parameters.map((one) => (
              <Field
                key={`${one.in} ${one.name}`}
                name={one.name}
                type={`${one.in}, ${typeOf(one.schema)}`}
                isRequired={one.required ?? false}
                text={one.description}
              />
            ))}
          </dl>
        </>
      )}
      {body && (
        <>
          <h3>Body</h3>
          <Fields schema={body} />
        </>
      )}
      <h3>Replies</h3>
      <dl class="fields">
        {replies.map((reply) => (
          <div key={reply.status}>
            <dt>
              <strong>{reply.status}</strong>
            </dt>
            <dd>
              {reply.text}
              {reply.schema?.properties && reply.status < '300' && <Fields schema={reply.schema} />}
            </dd>
          </div>
        ))}
      </dl>
      <TryForm {...props} />
    </Panel>
  );
}

interface FieldProps {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly text: string | undefined;
}

const Field = ({ name, type, isRequired, text }: FieldProps) => (
  <div>
    <dt>
      <code>{name}</code>
      {isRequired && <span class="tag">required</span>}
    </dt>
    <dd>
      <span class="muted">{type}</span>
      {text !== undefined && <> – {text}</>}
    </dd>
  </div>
);

/** The object in a schema: its own properties, or those of the elements of an array. */
const inner = (schema: Schema): Schema | undefined =>
  schema.properties ? schema : schema.items && inner(schema.items);

/** The fields of an object. Those of objects in it are shown on demand. */
function Fields({ schema }: { readonly schema: Schema }) {
  const { properties = {}, required = [] } = schema;
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives)
    return (
      <>
        {alternatives.map((one, index) => (
          <Fields key={index} schema={one} />
        ))}
      </>
    );
  return (
    <dl class="fields">
      {Object.entries(properties).map(([name, field]) => {
        const nested = inner(field);
        return (
          <div key={name}>
            <Field
              name={name}
              type={typeOf(field)}
              isRequired={required.includes(name)}
              text={field.description}
            />
            {nested && (
              <details>
                <summary>{counted(Object.keys(nested.properties ?? {}).length, 'field')}</summary>
                <Fields schema={nested} />
              </details>
            )}
          </div>
        );
      })}
    </dl>
  );
}
