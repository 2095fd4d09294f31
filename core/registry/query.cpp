#include "query.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/wire/number.h"
#include "core/wire/option.h"
#include "query_text.h"

namespace atelier::registry {
namespace {

constexpr std::size_t kLongest = 4096;  // bytes
constexpr int kDeepest = 64;

}  // namespace

enum class NodeKind { And, Or, Not, Word, Comparison };
enum class Operator { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, Contains };
// How a comparison reads its field: Any is a key of the spec that isn't known, taken as the run has it.
enum class Reading { Number, Text, Label, Tag, Flag, Any };

struct QueryNode {
  NodeKind kind = NodeKind::And;
  std::vector<std::shared_ptr<const QueryNode>> parts{};
  std::string text{};  // of a Word, or a Comparison's value, folded
  // Of a Comparison:
  std::string field{};
  Reading reading = Reading::Any;
  Operator op = Operator::Equal;
  bool none = false;  // the value is the word none
  std::optional<Span> number{};
  std::optional<bool> flag{};
};

namespace {

using NodePtr = std::shared_ptr<const QueryNode>;

Operator operatorOf(const std::string& text) {
  static constexpr std::array<std::string_view, 7> kTexts = {"=", "!=", "<", "<=", ">", ">=", "~"};
  return static_cast<Operator>(std::find(kTexts.begin(), kTexts.end(), text) - kTexts.begin());
}

template <class T>
bool ordered(const T& left, Operator op, const T& right) {
  switch (op) {
    case Operator::Less:
      return left < right;
    case Operator::LessEqual:
      return left <= right;
    case Operator::Greater:
      return left > right;
    case Operator::GreaterEqual:
      return left >= right;
    case Operator::NotEqual:
      return left != right;
    default:
      return left == right;
  }
}

bool compareNumber(double value, Operator op, const Span& span) {
  if (std::isnan(span.first)) return op == Operator::NotEqual ? !std::isnan(value) : op == Operator::Equal && std::isnan(value);
  if (span.first == span.last) return ordered(value, op, span.first);
  // A whole day, say: before it, within it, after it.
  const int side = value < span.first ? -1 : value < span.last ? 0 : 1;
  return ordered(side, op, 0);
}

bool compareText(const std::string& value, Operator op, const std::string& wanted) {
  const auto text = folded(value);
  return op == Operator::Contains ? text.find(wanted) != std::string::npos : ordered(text, op, wanted);
}

bool compareTags(const std::vector<std::string>& tags, const QueryNode& node) {
  if (node.none) return tags.empty() == (node.op == Operator::Equal);
  const auto any = [&](Operator op) {
    return std::any_of(tags.begin(), tags.end(), [&](const auto& tag) { return compareText(tag, op, node.text); });
  };
  return node.op == Operator::NotEqual ? !any(Operator::Equal) : any(node.op);
}

bool compareAny(const FieldValue& value, const QueryNode& node) {
  if (const auto* flag = std::get_if<bool>(&value))
    return node.flag ? ordered(*flag, node.op, *node.flag) : node.op == Operator::NotEqual;
  if (const auto* text = std::get_if<std::string>(&value)) return compareText(*text, node.op, node.text);
  const double number = std::get<double>(value);
  if (node.op == Operator::Contains) return compareText(wire::numberText(number), node.op, node.text);
  return node.number ? compareNumber(number, node.op, *node.number) : node.op == Operator::NotEqual;
}

bool compare(const RunRecord& run, const QueryNode& node) {
  if (node.reading == Reading::Tag) return compareTags(run.labels.tags, node);
  const auto value = field(run, node.field);
  const bool absent = std::holds_alternative<std::monostate>(value);
  const auto* text = std::get_if<std::string>(&value);
  if (node.none) return (absent || (text && folded(*text) == "none")) == (node.op == Operator::Equal);
  if (node.reading == Reading::Label) return compareText(text ? *text : std::string(), node.op, node.text);
  return !absent && compareAny(value, node);
}

bool standsIn(const RunRecord& run, const std::string& word) {
  const auto contains = [&word](const std::string& text) { return folded(text).find(word) != std::string::npos; };
  const auto& labels = run.labels;
  if (contains(run.id) || contains(labels.name) || contains(labels.note)) return true;
  if (std::any_of(labels.tags.begin(), labels.tags.end(), contains)) return true;
  return run.spec.is_object() && std::any_of(run.spec.begin(), run.spec.end(), [&](const nlohmann::json& value) {
           return value.is_string() && contains(value.get_ref<const std::string&>());
         });
}

bool holds(const QueryNode& node, const RunRecord& run) {
  const auto part = [&run](const NodePtr& inner) { return holds(*inner, run); };
  switch (node.kind) {
    case NodeKind::And:
      return std::all_of(node.parts.begin(), node.parts.end(), part);
    case NodeKind::Or:
      return std::any_of(node.parts.begin(), node.parts.end(), part);
    case NodeKind::Not:
      return !part(node.parts.front());
    case NodeKind::Word:
      return standsIn(run, node.text);
    default:
      return compare(run, node);
  }
}

class Parser {
 public:
  Parser(std::vector<Token> tokens, const std::vector<std::string>& moreKeys)
      : m_tokens(std::move(tokens)), m_moreKeys(moreKeys) {}

  wire::Result<NodePtr> whole() {
    auto root = either(0);
    if (root && now().kind != TokenKind::End) return unexpected();
    return root;
  }

 private:
  const Token& now() const { return m_tokens[m_at]; }
  const Token& next() const { return m_tokens[std::min(m_at + 1, m_tokens.size() - 1)]; }
  bool keyword(const char* word) const { return now().kind == TokenKind::Word && folded(now().text) == word; }

  wire::Error unexpected() const {
    if (now().kind == TokenKind::End) return queryError("query.ends", now().position);
    return queryError("query.unexpected", now().position, {{"word", now().text}});
  }

  wire::Result<NodePtr> either(int depth) { return chain(NodeKind::Or, depth); }

  // Parts joined by "or", or by "and" and nothing.
  wire::Result<NodePtr> chain(NodeKind kind, int depth) {
    if (depth > kDeepest) return queryError("query.too_deep", now().position, {{"limit", std::to_string(kDeepest)}});
    QueryNode node{.kind = kind};
    for (;;) {
      auto part = kind == NodeKind::Or ? chain(NodeKind::And, depth) : single(depth);
      if (!part) return part;
      node.parts.push_back(*part);
      const bool ended = now().kind == TokenKind::End || now().kind == TokenKind::Close || keyword("or");
      const bool joined = keyword(kind == NodeKind::Or ? "or" : "and");
      if (joined) ++m_at;
      else if (kind == NodeKind::Or || ended) break;
    }
    if (node.parts.size() == 1) return node.parts.front();
    return NodePtr(std::make_shared<QueryNode>(std::move(node)));
  }

  wire::Result<NodePtr> single(int depth) {
    if (keyword("not")) {
      ++m_at;
      if (depth >= kDeepest) return queryError("query.too_deep", now().position, {{"limit", std::to_string(kDeepest)}});
      auto inner = single(depth + 1);
      if (!inner) return inner;
      return NodePtr(std::make_shared<QueryNode>(QueryNode{.kind = NodeKind::Not, .parts = {*inner}}));
    }
    if (now().kind == TokenKind::Open) {
      const auto opened = now().position;
      ++m_at;
      auto inner = either(depth + 1);
      if (!inner) return inner;
      if (now().kind != TokenKind::Close) return queryError("query.open_parenthesis", opened);
      ++m_at;
      return inner;
    }
    if (now().kind == TokenKind::Word && next().kind == TokenKind::Operator) return comparison();
    const bool word = now().kind == TokenKind::Word && !keyword("and") && !keyword("or");
    if (!word && now().kind != TokenKind::Quoted) return unexpected();
    return wordOrFlag();
  }

  wire::Result<NodePtr> wordOrFlag() {
    const auto token = m_tokens[m_at++];
    QueryNode node{.kind = NodeKind::Word, .text = folded(token.text)};
    const auto* info = token.kind == TokenKind::Word ? findField(node.text) : nullptr;
    if (info && info->kind == FieldKind::Flag) {
      node.kind = NodeKind::Comparison;
      node.field = info->name;
      node.reading = Reading::Flag;
      node.flag = true;
    }
    return NodePtr(std::make_shared<QueryNode>(std::move(node)));
  }

  wire::Result<NodePtr> comparison() {
    const auto name = now();
    QueryNode node{.kind = NodeKind::Comparison, .field = folded(name.text)};
    const auto* info = findField(node.field);
    if (!info && !known(node.field)) return unknown(name);
    ++m_at;
    const auto operation = m_tokens[m_at++];
    node.op = operatorOf(operation.text);
    node.reading = readingOf(info);
    const bool bare = now().kind == TokenKind::Word && !keyword("and") && !keyword("or") && !keyword("not");
    if (!bare && now().kind != TokenKind::Quoted)
      return queryError("query.no_value", now().position, {{"field", name.text}, {"operator", operation.text}});
    if (const auto status = value(node, info, operation); !status) return status.error();
    return NodePtr(std::make_shared<QueryNode>(std::move(node)));
  }

  static Reading readingOf(const FieldInfo* info) {
    if (!info) return Reading::Any;
    if (info->kind == FieldKind::Flag) return Reading::Flag;
    if (info->kind != FieldKind::Text) return Reading::Number;
    if (info->name == "tag") return Reading::Tag;
    return info->of_spec ? Reading::Text : Reading::Label;
  }

  bool known(const std::string& name) const {
    if (name.size() > 5 && name.starts_with("spec.")) return true;
    return std::find(m_moreKeys.begin(), m_moreKeys.end(), name) != m_moreKeys.end();
  }

  wire::Error unknown(const Token& name) const {
    auto candidates = m_moreKeys;
    std::string figures;
    for (const auto& info : knownFields()) {
      candidates.push_back(info.name);
      if (!info.of_spec) figures += (figures.empty() ? "" : ", ") + info.name;
    }
    auto error = queryError("query.unknown_field", name.position, {{"field", name.text}});
    const auto nearest = wire::nearestName(folded(name.text), candidates);
    if (nearest.empty()) error.messages.push_back({"query.fields", {{"fields", figures}}});
    else error.messages.push_back({"registry.did_you_mean", {{"nearest", nearest}}});
    return error;
  }

  // Takes the value, and the unit that stands apart from its number.
  wire::Status value(QueryNode& node, const FieldInfo* info, const Token& operation) {
    const auto token = m_tokens[m_at++];
    const auto wrong = [&](const char* id) {
      return queryError(id, token.position, {{"field", node.field}, {"value", token.text}, {"operator", operation.text}});
    };
    node.text = folded(token.text);
    const bool equality = node.op == Operator::Equal || node.op == Operator::NotEqual;
    node.none = equality && token.kind == TokenKind::Word && node.text == "none";
    if (node.none) return wire::success();
    if (node.text == "true" || node.text == "false") node.flag = node.text == "true";
    const bool number = node.reading == Reading::Number;
    if (number || node.reading == Reading::Any) readNumber(node, info, token.text);
    if (number && node.op == Operator::Contains) return wrong("query.no_contains");
    if (number && !node.number) return wrong(info->kind == FieldKind::Time ? "query.not_a_date" : "query.not_a_number");
    if (number && info->unit == "unit.share" && node.number->first > 1) return wrong("query.share");
    if (node.reading == Reading::Flag && !equality) return wrong("query.no_order");
    if (node.reading == Reading::Flag && !node.flag) return wrong("query.not_a_flag");
    if (node.field == "status" && equality) return checkStatus(node, token);
    return wire::success();
  }

  void readNumber(QueryNode& node, const FieldInfo* info, std::string text) {
    if (info && info->kind == FieldKind::Time) {
      node.number = parseDate(text);
      return;
    }
    const std::string_view unit = info ? std::string_view(info->unit) : "unit.bytes";
    if (now().kind == TokenKind::Word && unitWorth(unit, now().text) && parseFigure(text + now().text, unit))
      text += m_tokens[m_at++].text;
    if (const auto value = parseFigure(text, unit)) node.number = Span{*value, *value};
  }

  static wire::Status checkStatus(const QueryNode& node, const Token& token) {
    static const std::vector<std::string> kStatuses = {"done", "failed", "interrupted", "running"};
    if (std::find(kStatuses.begin(), kStatuses.end(), node.text) != kStatuses.end()) return wire::success();
    return queryError("query.status", token.position,
                      {{"value", token.text}, {"allowed", "done, failed, interrupted, running"}});
  }

  std::vector<Token> m_tokens;
  const std::vector<std::string>& m_moreKeys;
  std::size_t m_at = 0;
};

}  // namespace

wire::Result<Query> Query::parse(std::string_view text, const std::vector<std::string>& moreKeys) {
  if (text.size() > kLongest) return queryError("query.too_long", 1, {{"limit", std::to_string(kLongest)}});
  auto tokens = tokenize(text);
  if (!tokens) return tokens.error();
  if (tokens->front().kind == TokenKind::End) return Query();
  auto root = Parser(std::move(*tokens), moreKeys).whole();
  if (!root) return root.error();
  return Query(std::move(*root));
}

bool Query::matches(const RunRecord& run) const {
  return !m_root || holds(*m_root, run);
}

}  // namespace atelier::registry
